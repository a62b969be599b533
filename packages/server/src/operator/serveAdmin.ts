import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import type { Logger } from '@pit/platform/monitoring'
import { LEAGUE } from './league.ts'
import { openOperator } from './openOperator.ts'
import { adminSocketPath, refuseForeign } from './socketPath.ts'
import { type Ask, type Operator, type OperatorDeps, OperatorRefused } from './types.ts'

const MAX_BODY_BYTES = 64 * 1024

/**
 * Operator interface of this server, on a socket in its data directory. The server runs without it if it
 * fails.
 */
export async function openAdmin({
  dataDir,
  logger,
  ...deps
}: Omit<OperatorDeps, 'league'> & {
  dataDir: string
  logger: Pick<Logger, 'info' | 'warn' | 'error'>
}): Promise<{
  close(): Promise<void>
}> {
  const path = adminSocketPath(dataDir)
  try {
    const served = await serveAdmin({ operator: openOperator({ ...deps, league: LEAGUE }), path, logger })
    if (served) return served
    logger.info({ path }, 'another server on this data directory serves the operator’s commands')
  } catch (error) {
    logger.warn(
      { err: error, path },
      'failed to open the operator’s socket: pit-admin needs DATABASE_URL or a stopped server',
    )
  }
  return { close: async () => {} }
}

/**
 * Serves operator commands on a socket that only this user can open. Null if another process on the same data
 * directory already does.
 */
export async function serveAdmin({
  operator,
  path,
  logger,
}: {
  operator: Operator
  path: string
  logger: Pick<Logger, 'warn' | 'error'>
}): Promise<{ close(): Promise<void> } | null> {
  refuseForeign(path)
  if (await isServed(path)) return null
  // Left behind by a killed process.
  rmSync(path, { force: true })
  mkdirSync(dirname(path), { recursive: true })
  const server = createServer((request, response) => {
    answer(operator, request).then(
      (result) => send(response, 200, { ok: true, result: result ?? null }),
      (error) => {
        const refused = error instanceof OperatorRefused
        if (!refused) logger.error({ err: error }, 'operator command failed')
        send(response, refused ? 409 : 500, { ok: false, refused, message: (error as Error).message })
      },
    )
  })
  // Created with restrictive permissions: no other user may open it even for a moment.
  const before = process.umask(0o177)
  const listening = new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  process.umask(before)
  await listening
  chmodSync(path, 0o600)
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
      }),
  }
}

function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path)
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', () => resolve(false))
  })
}

async function answer(operator: Operator, request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw new OperatorRefused('the command is too long')
    chunks.push(chunk)
  }
  let params: Partial<Ask> | null
  try {
    params = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    throw new OperatorRefused('the command is not valid JSON')
  }
  if (typeof params?.name !== 'string' || typeof params.input !== 'object' || params.input === null) {
    throw new OperatorRefused('not a command')
  }
  return operator.act({
    name: params.name,
    operator: params.operator ?? '',
    reason: params.reason ?? null,
    input: params.input,
  })
}

function send(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
  response.end(text)
}
