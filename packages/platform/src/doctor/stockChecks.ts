import { type Address, BEACON_SLOT, stockIssuerOf } from '@pit/chain'
import { askCall, askStorage, flagIn } from '../reads/index.ts'
import { addressSaid, ask, getter, same, sayAll } from './asking.ts'
import { ASK_AGAIN, type Examination, type Finding, ok, unknown, warn } from './types.ts'

const SOMEBODY: Address = '0x00000000000000000000000000000000000000a1'

/** Stock tokens stand on the beacon that is named, and the list of the blocked can be read. */
export const examineStocks: Examination = async (deps) => {
  const { stocks: issued, core_tokens, listed_stocks } = deps.profile
  const { beacon } = issued
  const stocks = [...core_tokens.filter(({ kind }) => kind === 'stock'), ...listed_stocks]
  if (beacon === null || stocks.length === 0) return []
  const [implementation] = await sayAll(deps, [getter(beacon, 'implementation()')])
  if (implementation === undefined) return [unknown('stock beacon', 'the node does not say', ASK_AGAIN)]
  const [blocked, ...slots] = await ask(deps, [
    askCall(stockIssuerOf(deps.profile).blockedCall(beacon as Address, SOMEBODY)),
    ...stocks.map(({ address }) => askStorage(address as Address, BEACON_SLOT)),
  ])
  const found: Finding[] = []
  if (addressSaid(implementation) === null)
    found.push(warn('stock beacon', `${beacon} is no beacon`, 'Stock tokens by address are not known.'))
  if (flagIn(blocked) === null)
    found.push(
      warn('stock registry', 'the beacon does not answer isBlocked', 'Stock trades are refused: correct it.'),
    )
  for (const [i, { symbol }] of stocks.entries()) {
    const at = addressSaid(slots[i])
    if (!same(at, beacon))
      found.push(warn(`stock ${symbol}`, `its beacon is ${at}`, 'It is no token of this issuer.'))
  }
  return found.length > 0 ? found : [ok('stock tokens', `${stocks.length} stand on the beacon`)]
}
