import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** The bearer token of the HTTP server, created once in a file that only its owner can read. */
export function readHttpToken(file: string): string {
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' })
  }
  chmodSync(file, 0o600)
  const token = readFileSync(file, 'utf8').trim()
  if (!/^[0-9a-f]{64}$/.test(token))
    throw new TypeError(`${file} does not contain a token: delete it to create a new one`)
  return token
}
