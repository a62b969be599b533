#!/usr/bin/env node
import { userInfo } from 'node:os'
import { systemClock } from '@pit/platform/clock'
import { keepFilesPrivate } from '@pit/platform/settings'
import { type ConnectedOperator, connectOperator, type Operator, OperatorRefused } from '@pit/server/operator'
import { createAdminProgram } from './admin/program.ts'
import { acceptLedger, freezeSigner, signerAccessOf } from './admin/tellSigner.ts'
import { environment } from './config.ts'

// The operator's command. It connects to a running server's socket; without a server it opens the store.

keepFilesPrivate()
const env = environment()
const connection: { open: ConnectedOperator | null } = { open: null }
/** Connects on the first request, so that --help needs neither server nor store. */
const operator: Operator = {
  async act(request) {
    connection.open ??= await connectOperator(env)
    return connection.open.act(request)
  },
}

const program = createAdminProgram({
  user: userName(),
  act: operator.act,
  freezeSigner: (request) => freezeSigner(toSigner(), request),
  acceptLedger: (request) => acceptLedger(toSigner(), request),
  sanctionsFile: env['SANCTIONS_FILE'],
  print: (line) => console.log(line),
})

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof OperatorRefused) console.error(error.message)
  else console.error(error)
  process.exitCode = 1
} finally {
  await connection.open?.close()
}

function toSigner() {
  const warn = (line: string) => console.error(line)
  return { operator, access: signerAccessOf(env), clock: systemClock, warn }
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    return 'unknown'
  }
}
