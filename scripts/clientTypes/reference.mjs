// The reference page of the client's verbs, from their doc comments and types.

const INTRO = `# Client reference

Every verb of [\`@pit/client\`](client.md) with its parameters, result, errors and an example. This page is made from the doc comments by \`npm run generate\`; CI runs its examples, in this order, as one program. Checks before signing: [verifying client](client.md).

The examples continue from this client, and from a bot with its own key and a little ETH for gas:

\`\`\`ts
import { readFileSync } from 'node:fs'
import { createClient, fromViem, isOpenOrder, limitOrder, type OrderIntent, type SignedTrade } from '@pit/client'
import { createWalletClient, http, parseEther, publicActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

const profile = JSON.parse(readFileSync('.pit/pins.json', 'utf8'))
const server = { url: 'http://127.0.0.1:4663', domain: 'localhost', profile }
// Account 1 of the public test mnemonic: for a devnet, never for a real chain.
const owner = privateKeyToAccount('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d')
const client = createClient({ ...server, account: fromViem(owner) })
const bot = createClient({ ...server, account: fromViem(privateKeyToAccount(generatePrivateKey())) })

const wallet = createWalletClient({ account: owner, transport: http('http://127.0.0.1:8545') }).extend(publicActions)
const gas = await wallet.sendTransaction({ chain: null, to: bot.address, value: parseEther('0.01') })
await wallet.waitForTransactionReceipt({ hash: gas })
\`\`\`
`

const isVerb = ({ type }) => type.kind === 'call'

/** Parts of a doc comment. */
export function readDoc(doc) {
  const [text, ...tags] = (doc ?? '').split(/^@/m)
  const parts = { text: text.trim().replaceAll('\n', ' '), params: [], throws: [], returns: '', example: '' }
  for (const tag of tags) {
    const [, name, body] = /^(\w+)\s*([\s\S]*)$/.exec(tag.trim())
    const [, first = '', rest = ''] = /^(\S+)\s*([\s\S]*)$/.exec(body) ?? []
    if (name === 'param') parts.params.push({ name: first, text: rest })
    if (name === 'throws') parts.throws.push({ code: first, text: rest })
    if (name === 'returns') parts.returns = body
    if (name === 'example') parts.example = body
  }
  return parts
}

/** Every verb with its path: `orders.place`. */
export function verbsOf(client) {
  return client.node.fields.flatMap((field) => {
    if (isVerb(field)) return [{ path: field.name, field }]
    const isGroup = field.type.kind === 'object' && field.type.fields.every(isVerb) && field.name !== 'api'
    return isGroup ? field.type.fields.map((one) => ({ path: `${field.name}.${one.name}`, field: one })) : []
  })
}

export function referencePage(client, printer) {
  const verbs = verbsOf(client)
  const sections = verbs.map(({ path, field }) => section(path, field, printer))
  return `${INTRO}\n${sections.join('\n')}`
}

function section(path, { doc, type }, printer) {
  const { text, params, returns, throws, example } = readDoc(doc)
  const list = [
    ...type.parameters.map((one, i) => {
      // A parameter that is taken apart has no name.
      const about = (params.find(({ name }) => name === one.name) ?? params[i])?.text
      return `- \`${one.name}${one.isOptional ? '?' : ''}\`: ${code(short(printer.type(one.type)))}${about ? `, ${about}` : ''}`
    }),
    `- returns ${code(short(printer.type(type.result)))}${returns ? `: ${returns}` : ''}`,
  ]
  const errors = throws.map((one) => `| ${one.code} | ${one.text} |`)
  return [
    `## ${path}`,
    '',
    text,
    '',
    ...list,
    ...(errors.length ? ['', '| error | when |', '|---|---|', ...errors] : []),
    ...(example ? ['', example] : []),
    '',
  ].join('\n')
}

const code = (text) => `\`${text}\``
const short = (text) => (text.length > 90 || text.includes('\n') ? 'object' : text)

/** Verbs and exports without what the page needs. */
export function undocumented(declared, client) {
  const missing = declared.filter(({ name, doc }) => name !== 'ChainProfile' && !doc?.includes('@public'))
  const bare = verbsOf(client).filter(
    ({ path, field }) => path !== 'apiKey' && !field.doc?.includes('@example'),
  )
  return [
    ...missing.map(({ name }) => `${name} has no doc comment with @public`),
    ...bare.map(({ path }) => `client.${path} has no @example`),
  ]
}
