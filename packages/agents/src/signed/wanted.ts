import { fromWireOrders, type Hex, orderTypedData, type WireOrderList } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import type { schemas } from '@pit/protocol'
import type { Static } from '@sinclair/typebox'

export type WantedSignature = Static<typeof schemas.WantedSignature>

const KEPT = 5

/** Stores a list that the owner is asked to sign; only the newest of an agent are kept. */
export async function storeWanted(
  sql: Sql,
  agentId: string,
  { id, list, why, valid_until }: Pick<WantedSignature, 'id' | 'list' | 'why' | 'valid_until'>,
  nowMs: number,
): Promise<void> {
  await sql.query(
    `insert into wanted_signatures (agent_id, id, list, why, valid_until_s, asked_at_ms)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
    [agentId, id, JSON.stringify(list), why, valid_until, nowMs],
  )
  await sql.query(
    `delete from wanted_signatures where agent_id = $1 and id not in (
       select id from wanted_signatures where agent_id = $1 order by asked_at_ms desc, id limit $2)`,
    [agentId, KEPT],
  )
}

export interface WantedRow {
  id: Hex
  list: WireOrderList
  why: string
  valid_until_s: number
}

/** Valid ones, newest first. */
export const readWanted = (sql: Sql, agentId: string, nowS: number): Promise<WantedRow[]> =>
  sql.query<WantedRow>(
    `select id, list, why, valid_until_s from wanted_signatures
     where agent_id = $1 and valid_until_s > $2 order by asked_at_ms desc, id`,
    [agentId, nowS],
  )

export async function dropWanted(sql: Sql, agentId: string, id: Hex): Promise<void> {
  await sql.query('delete from wanted_signatures where agent_id = $1 and id = $2', [agentId, id])
}

export async function sweepWanted(sql: Sql, nowS: number): Promise<void> {
  await sql.query('delete from wanted_signatures where valid_until_s <= $1', [nowS])
}

export const describeWanted = (
  place: Parameters<typeof orderTypedData>[0],
  { id, list, why, valid_until_s }: WantedRow,
): WantedSignature => ({
  id,
  why,
  list: list as WantedSignature['list'],
  typed_data: typedDataJson(place, list),
  valid_until: valid_until_s,
})

/** As eth_signTypedData_v4 takes it: large numbers as decimals, the domain's type included. */
function typedDataJson(
  place: Parameters<typeof orderTypedData>[0],
  list: WireOrderList,
): WantedSignature['typed_data'] {
  const { types, ...data } = orderTypedData(place, fromWireOrders(list))
  const whole = { ...data, types: { EIP712Domain: DOMAIN_TYPE, ...types } }
  return JSON.parse(
    JSON.stringify(whole, (_, value) => (typeof value === 'bigint' ? value.toString() : value)),
  ) as WantedSignature['typed_data']
}
const DOMAIN_TYPE = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]
