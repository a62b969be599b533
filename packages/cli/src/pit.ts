#!/usr/bin/env node
import { keepFilesPrivate } from '@pit/platform/settings'
import { CommanderError } from 'commander'
import { detailText, failureOf, json, quoteOf } from './client/exit.ts'
import { openTerminal, plainLines } from './client/terminal.ts'
import { environment } from './config.ts'
import { createProgram } from './program.ts'

keepFilesPrivate()
const terminal = openTerminal()
const program = createProgram({ env: environment(), terminal, nowMs: Date.now })

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = end(error)
}

function end(error: unknown): number {
  // --help, --version and --map end with exit code 0.
  if (error instanceof CommanderError && error.exitCode === 0) return 0
  const { exit, ...failure } = failureOf(error)
  const { code, message, details, server, fix, docs } = failure
  if (program.opts<{ json?: boolean }>().json) terminal.data(json({ error: { exit, ...failure } }))
  // commander has printed usage errors already.
  if (!(error instanceof CommanderError)) terminal.say(plainLines(`${code}: ${message}`))
  // Amounts are in the message already, in whole tokens.
  const more = details && code !== 'INSUFFICIENT_FUNDS' ? detailText(details) : ''
  if (more) terminal.say(`Details: ${more}`)
  if (server) terminal.say(quoteOf(server))
  terminal.say(`Fix: ${plainLines(fix)}`)
  terminal.say(`See ${docs.replace(/^docs(.*)\.md$/, '/guide$1')} on the server.`)
  return exit
}
