import type { ChainProfile } from '@pit/protocol'
import { addressSaid, getter, same, sayAll } from './asking.ts'
import { examineLayout } from './routerLayout.ts'
import { ASK_AGAIN, type Examination, type Finding, fail, ok, unknown } from './types.ts'

type Contracts = ChainProfile['contracts']
type Name = keyof Contracts

/** Addresses each contract was built with: a contract of another deployment quotes and swaps elsewhere. */
const BUILT_WITH: readonly [of: Name, getter: string, is: Name][] = [
  ['universal_router', 'poolManager()', 'v4_pool_manager'],
  ['universal_router', 'V3_POSITION_MANAGER()', 'v3_position_manager'],
  ['universal_router', 'V4_POSITION_MANAGER()', 'v4_position_manager'],
  ['v3_quoter', 'factory()', 'v3_factory'],
  ['v3_quoter', 'WETH9()', 'weth'],
  ['v3_position_manager', 'factory()', 'v3_factory'],
  ['v4_position_manager', 'poolManager()', 'v4_pool_manager'],
  ['v4_position_manager', 'permit2()', 'permit2'],
  ['v4_state_view', 'poolManager()', 'v4_pool_manager'],
  ['v4_quoter', 'poolManager()', 'v4_pool_manager'],
]

/** Checks that router, quoters and managers belong together and that the router's layout is right. */
export const examineExchanges: Examination = async (deps) => {
  const { contracts } = deps.profile
  const rows = BUILT_WITH.filter(([of, , is]) => contracts[of] !== null && contracts[is] !== null)
  const said = await sayAll(
    deps,
    rows.map(([of, name]) => getter(contracts[of]!, name)),
  )
  const built = rows.flatMap(([of, name, is], i): Finding[] => {
    const check = `contract ${of} ${name}`
    if (said[i] === undefined) return [unknown(check, 'no answer from the node', ASK_AGAIN)]
    const address = addressSaid(said[i])
    return same(address, contracts[is])
      ? []
      : [fail(check, `${address ?? 'no address reported'}, not ${contracts[is]}`, `Correct ${of} or ${is}.`)]
  })
  const layout = await examineLayout(deps)
  return [
    ...(built.length === 0 ? [ok('exchanges', `${rows.length} getters match the profile`)] : built),
    ...layout,
  ]
}
