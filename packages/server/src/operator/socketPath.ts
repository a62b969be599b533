import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** What a socket's path may have, with room to spare: the kernel allows 107 bytes, and 103 on some. */
const MOST_BYTES = 100

/** Where a server on this data directory takes its operator's commands. */
export function adminSocketPath(dataDir: string): string {
  const beside = join(resolve(dataDir), 'admin.sock')
  if (Buffer.byteLength(beside) <= MOST_BYTES) return beside
  const name = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 16)
  return join(tmpdir(), `pit-admin-${name}.sock`)
}
