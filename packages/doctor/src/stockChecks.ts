import { type Address, BEACON_SLOT, stockIssuerOf } from '@pit/chain'
import { askCall, askStorage, flagIn } from '@pit/platform/reads'
import { addressSaid, ask, getter, same, sayAll } from './asking.ts'
import { ASK_AGAIN, type Examination, type Finding, ok, unknown, warn } from './types.ts'

const SOMEBODY: Address = '0x00000000000000000000000000000000000000a1'

/** Checks that stock tokens use the profile's beacon and that the block list is readable. */
export const examineStocks: Examination = async (deps) => {
  const { stocks: issued, core_tokens, listed_stocks } = deps.profile
  const { beacon } = issued
  const stocks = [...core_tokens.filter(({ kind }) => kind === 'stock'), ...listed_stocks]
  if (beacon === null || stocks.length === 0) return []
  const [implementation] = await sayAll(deps, [getter(beacon, 'implementation()')])
  if (implementation === undefined) return [unknown('stock beacon', 'no answer from the node', ASK_AGAIN)]
  const [blocked, ...slots] = await ask(deps, [
    askCall(stockIssuerOf(deps.profile).blockedCall(beacon as Address, SOMEBODY)),
    ...stocks.map(({ address }) => askStorage(address as Address, BEACON_SLOT)),
  ])
  const findings: Finding[] = []
  if (addressSaid(implementation) === null)
    findings.push(
      warn('stock beacon', `${beacon} is not a beacon`, 'Stock tokens named by address are not recognised.'),
    )
  if (flagIn(blocked) === null)
    findings.push(
      warn(
        'stock registry',
        'the beacon has no isBlocked()',
        'Stock trades are refused: correct the beacon.',
      ),
    )
  for (const [i, { symbol }] of stocks.entries()) {
    const at = addressSaid(slots[i])
    if (!same(at, beacon))
      findings.push(warn(`stock ${symbol}`, `its beacon is ${at}`, 'The token is not from this issuer.'))
  }
  return findings.length > 0 ? findings : [ok('stock tokens', `${stocks.length} use the beacon`)]
}
