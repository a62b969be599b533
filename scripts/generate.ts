// Writes the files that are made from tables. `--check` writes nothing and fails when one differs; `--force`
// lets the contract lock lose or change a row, which breaks clients.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorsDoc, llmsText } from '@pit/api-docs'
import {
  type AnswerShapes,
  answerShapes,
  type ContractLock,
  contractLock,
  lockBreaches,
  ROUTES,
  schemas,
} from '@pit/protocol'
import { COMMITTED, committedText } from '../packages/devnet/src/compile.ts'
import { SETTINGS as DEVNET_SETTINGS } from '../packages/devnet/src/config.ts'
import { SETTINGS as SERVER_SETTINGS } from '../packages/server/src/settings.ts'
import { SETTINGS as SIGNER_SETTINGS } from '../packages/signer/src/config.ts'
import { cachedTypes } from './clientTypes/cached.mjs'
import { configurationDoc, envExample } from './settingsDoc.ts'
import { SETTINGS as START_SETTINGS } from './startSettings.ts'

type GeneratedFile = { path: string; text: string }

const LOCK_PATH = 'packages/protocol/contract.lock.json'

const processes = [
  { process: 'server', settings: SERVER_SETTINGS },
  { process: 'signer', settings: SIGNER_SETTINGS },
  { process: 'devnet', settings: DEVNET_SETTINGS },
  { process: 'npm start', settings: START_SETTINGS },
]

const client = await cachedTypes(async () => ({ ROUTES, schemas }))

/** A line for each shape, so that a change is readable. */
function linesOf({ shared, routes }: AnswerShapes): string {
  const rows = shared.map((shape) => JSON.stringify(shape)).join(',\n')
  const named = Object.entries(routes).map(([id, shape]) => `${JSON.stringify(id)}:${JSON.stringify(shape)}`)
  return `{"shared":[\n${rows}\n],"routes":{\n${named.join(',\n')}\n}}\n`
}

const files: GeneratedFile[] = [
  { path: 'packages/protocol/answers.json', text: linesOf(answerShapes()) },
  { path: LOCK_PATH, text: `${JSON.stringify(contractLock(), null, 2)}\n` },
  { path: 'docs/reference/errors.md', text: errorsDoc() },
  { path: 'docs/reference/llms.txt', text: llmsText() },
  { path: 'docs/reference/configuration.md', text: configurationDoc(processes) },
  { path: 'docs/reference/client-api.md', text: client.reference },
  // The public interface of the npm package: a breaking change shows here.
  {
    path: 'packages/client/api.report.md',
    text: `# Interface of @pit/client\n\n\`\`\`ts\n${client.report}\`\`\`\n`,
  },
  { path: '.env.example', text: envExample(processes) },
  { path: COMMITTED, text: await committedText() },
]

const breaches = existsSync(LOCK_PATH)
  ? lockBreaches(JSON.parse(readFileSync(LOCK_PATH, 'utf8')) as ContractLock, contractLock())
  : []
if (breaches.length > 0 && !process.argv.includes('--force')) {
  console.error(`The contract lock would break:\n${breaches.map((breach) => `  ${breach}`).join('\n')}`)
  process.exit(1)
}

const stale = files.filter(({ path, text }) => !existsSync(path) || readFileSync(path, 'utf8') !== text)
if (process.argv.includes('--check')) {
  for (const { path } of stale) console.error(`${path} is not what its table says; run npm run generate`)
  process.exit(stale.length > 0 ? 1 : 0)
}
for (const { path, text } of stale) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  console.log(`wrote ${path}`)
}
