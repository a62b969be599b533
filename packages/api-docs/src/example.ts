import type { AnyRoute } from '@pit/protocol'
import type { TSchema } from '@sinclair/typebox'
import { literalsOf } from './jsonSchema.ts'

const WALLET = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

const SIGNATURE = `0x${'11'.repeat(64)}1b`

/** Ten dollars of ETH once it costs 2,000 dollars or less, on paper. */
const ORDER_LIST = {
  session: `0x${'0'.repeat(64)}`,
  nonce: `0x${'5a'.repeat(32)}`,
  replaces: [],
  orders: [
    {
      token_in: '0x5fc5360d0400a0fd4f2af552add042d716f1d168',
      token_out: `0x${'0'.repeat(40)}`,
      amount_in: '10000000',
      min_amount_out: '0',
      max_slippage_bps: 50,
      trigger: { kind: 'at_or_below', token: `0x${'0'.repeat(40)}`, price_e18: '2000000000000000000000' },
      slices: 1,
      every_s: 0,
      starts_at: 0,
      expires_at: 1798761600,
      group: 0,
      parent: 0,
    },
  ],
}

/** Example values by field name. */
const BY_NAME: Record<string, unknown> = {
  address: WALLET,
  wallet: WALLET,
  executor: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
  signature: SIGNATURE,
  delegation_signature: SIGNATURE,
  raw_tx: `0x02f86d${'00'.repeat(96)}`,
  token_in: 'ETH',
  token_out: 'USDG',
  notional_usd: 25,
  amount_in: '10000000000000000',
  min_out: '24000000',
  deadline: 1767225600,
  fee_bps: 25,
  nonce: 'b1946ac92492d234',
  brain: 'dca',
  params: {},
  interval_s: 900,
  pairs: ['ETH/USDG'],
  limits: { max_trade_usd: 25, max_day_usd: 100, max_position_usd: 250 },
  session_id: 's_01',
  challenge: `0x${'c4'.repeat(32)}`,
  issued: 1767225000,
  expires: 1767311400,
  agent_id: '7',
  id: 'h_01',
  ids: [`0x${'1d'.repeat(32)}`],
  n: 1,
  api_key: 'gateway-key',
  list: ORDER_LIST,
}

function valueFor(name: string, schema: TSchema): unknown {
  if (name in BY_NAME) return BY_NAME[name]
  const values = literalsOf(schema)
  if (values !== null) return values[0]
  if (schema['type'] === 'integer' || schema['type'] === 'number') return schema['minimum'] ?? 1
  if (schema['type'] === 'boolean') return true
  if (schema['type'] === 'array') return []
  return schema['type'] === 'object' ? {} : '…'
}

/** The smallest valid body of a route; the first one of a request in two calls. */
export function exampleBody(route: AnyRoute): Record<string, unknown> {
  const variants = (route.body['anyOf'] as TSchema[] | undefined) ?? [route.body]
  const schema = variants.at(-1) as TSchema
  const group = (schema['exactlyOne'] as readonly string[] | undefined)?.slice(0, 1) ?? []
  const names = [...((schema['required'] as readonly string[] | undefined) ?? []), ...group]
  const properties = schema['properties'] as Record<string, TSchema>
  return Object.fromEntries(names.map((name) => [name, valueFor(name, properties[name] as TSchema)]))
}

/** The same as text, without the length of signatures and signed transactions. */
export const shortBody = (route: AnyRoute): string =>
  JSON.stringify(exampleBody(route)).replace(/"0x[0-9a-f]{122,}"/g, '"0x…"')

/** An example request for the shell. */
export function exampleCurl(route: AnyRoute, baseUrl: string): string {
  const path = route.path.replace(/:(\w+)/g, (_, name: string) =>
    name === 'address' ? 'ETH' : String(BY_NAME[name] ?? name),
  )
  const lines = [`curl -s ${baseUrl}${path}`]
  if (route.method === 'POST') lines[0] = `curl -s -X POST ${baseUrl}${path}`
  if (route.buckets.includes('key')) lines.push(`-H "Authorization: Bearer $PIT_KEY"`)
  if (route.takesBody) {
    lines.push(`-H 'Content-Type: application/json'`, `-d '${shortBody(route)}'`)
  } else if (route.method === 'POST') lines.push(`-d ''`)
  return lines.join(' \\\n  ')
}
