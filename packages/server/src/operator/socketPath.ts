import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { OperatorRefused } from './types.ts'

/** What a socket's path may have, with room to spare: the kernel allows 107 bytes, and 103 on some. */
const MAX_BYTES = 100

/** Where a server on this data directory takes its operator's commands. */
export function adminSocketPath(dataDir: string): string {
  const beside = join(resolve(dataDir), 'admin.sock')
  if (Buffer.byteLength(beside) <= MAX_BYTES) return beside
  const name = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 16)
  return join(tmpdir(), `pit-admin-${name}.sock`)
}

/** Where anybody may put something, another user could answer in the server's place. */
export function refuseForeign(path: string): void {
  if (dirname(path) !== resolve(tmpdir())) return
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found && found.uid !== process.getuid?.())
    throw new OperatorRefused(
      `${path} is another user’s: use a DATA_DIR with a shorter name, as its own user`,
    )
}
