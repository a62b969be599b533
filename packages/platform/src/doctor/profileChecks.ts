import { ENFORCERS } from '@pit/chain'
import { type ChainProfile, NATIVE_TOKEN } from '@pit/protocol'
import { same } from './asking.ts'
import { type Examination, type Finding, fail, ok, warn } from './types.ts'

/** What a profile says wrong by itself, whatever chain it is of. */
export const examineProfile: Examination = ({ profile }) => {
  const found = [...twice(profile), ...tokens(profile), ...enforcers(profile), ...recipients(profile)]
  return found.length > 0 ? found : [ok('profile', `${profile.name} agrees with itself`)]
}

function twice({ core_tokens, listed_stocks }: ChainProfile): Finding[] {
  const all = [...core_tokens, ...listed_stocks]
  return all.flatMap(({ symbol, address }, i) => {
    const other = all.slice(0, i).find((one) => one.symbol === symbol || same(one.address, address))
    return other
      ? [fail(`token ${symbol} twice`, `${other.symbol} has its symbol or address`, 'Name each token once.')]
      : []
  })
}

function tokens({ core_tokens, contracts, kind }: ChainProfile): Finding[] {
  const found: Finding[] = []
  for (const { symbol, address, native } of core_tokens)
    if (native !== same(address, NATIVE_TOKEN))
      found.push(fail(`token ${symbol}`, `${address} is not native ETH’s`, 'Only ETH has the zero address.'))
  const weth = core_tokens.find(({ symbol }) => symbol === 'WETH')
  if (weth && !same(weth.address, contracts.weth))
    found.push(fail('token WETH', `it is not contracts.weth ${contracts.weth}`, 'Name the same contract.'))
  if (kind === 'mainnet' && !core_tokens.some(({ symbol }) => symbol === 'USDG'))
    found.push(warn('token USDG', 'it is not named', 'Nothing can be priced or sized without it.'))
  if (kind === 'mainnet' && contracts.universal_router === null)
    found.push(warn('contract universal_router', 'it is not named', 'Nothing is traded without it.'))
  return found
}

/** Without a router nothing is traded, and no session needs them. */
const enforcers = ({ delegation, contracts }: ChainProfile): Finding[] =>
  ENFORCERS.flatMap((name) =>
    contracts.universal_router !== null && delegation.enforcers[`${name}Enforcer`] === undefined
      ? [fail(`enforcer ${name}`, 'it is not named', 'Name all enforcers of delegation 1.3.0.')]
      : [],
  )

/** What is sent to a contract that nobody holds the key of is lost. */
function recipients(profile: ChainProfile): Finding[] {
  const { kind, contracts, delegation, core_tokens, fee_recipient, treasury_buckets, cosigner } = profile
  const ours = [
    ...Object.values(contracts),
    ...Object.values(delegation.enforcers),
    ...[delegation.delegation_manager, delegation.stateless_delegator],
    ...core_tokens.map(({ address }) => address),
  ].filter((address): address is string => typeof address === 'string' && address.length === 42)
  const named = { fee_recipient, cosigner, ...treasury_buckets }
  const found = Object.entries(named).flatMap(([name, address]) =>
    address !== null && ours.some((one) => same(one, address))
      ? [fail(name, `${address} is a contract of the profile`, 'Name an address whose key you hold.')]
      : [],
  )
  if (kind === 'mainnet' && fee_recipient === null)
    found.push(warn('fee_recipient', 'it is not named', 'Nothing is traded without it: name yours.'))
  return found
}
