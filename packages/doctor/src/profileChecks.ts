import { ENFORCERS } from '@pit/chain'
import { type ChainProfile, NATIVE_TOKEN } from '@pit/protocol'
import { same } from './asking.ts'
import { type Examination, type Finding, fail, ok, warn } from './types.ts'

/** Checks a profile for contradictions, without reading the chain. */
export const examineProfile: Examination = ({ profile }) => {
  const findings = [...twice(profile), ...tokens(profile), ...enforcers(profile), ...recipients(profile)]
  return findings.length > 0 ? findings : [ok('profile', `${profile.name} is consistent`)]
}

function twice({ core_tokens, listed_stocks }: ChainProfile): Finding[] {
  const all = [...core_tokens, ...listed_stocks]
  return all.flatMap(({ symbol, address }, i) => {
    const other = all.slice(0, i).find((one) => one.symbol === symbol || same(one.address, address))
    return other
      ? [
          fail(
            `token ${symbol} twice`,
            `${other.symbol} has the same symbol or address`,
            'List each token once.',
          ),
        ]
      : []
  })
}

function tokens({ core_tokens, contracts, kind }: ChainProfile): Finding[] {
  const findings: Finding[] = []
  for (const { symbol, address, native } of core_tokens)
    if (native !== same(address, NATIVE_TOKEN))
      findings.push(
        fail(
          `token ${symbol}`,
          `${address} is not the address of native ETH`,
          'Only ETH has the zero address.',
        ),
      )
  const weth = core_tokens.find(({ symbol }) => symbol === 'WETH')
  if (weth && !same(weth.address, contracts.weth))
    findings.push(
      fail(
        'token WETH',
        `differs from contracts.weth ${contracts.weth}`,
        'Use the same address in both places.',
      ),
    )
  if (kind === 'mainnet' && !core_tokens.some(({ symbol }) => symbol === 'USDG'))
    findings.push(warn('token USDG', 'not set', 'No trade can be priced or sized without it.'))
  if (kind === 'mainnet' && contracts.universal_router === null)
    findings.push(warn('contract universal_router', 'not set', 'Trading is off without it.'))
  return findings
}

/** Without a router there is no trading, so sessions and their enforcers are not needed. */
const enforcers = ({ delegation, contracts }: ChainProfile): Finding[] =>
  ENFORCERS.flatMap((name) =>
    contracts.universal_router !== null && delegation.enforcers[`${name}Enforcer`] === undefined
      ? [fail(`enforcer ${name}`, 'not set', 'Set all enforcers of delegation 1.3.0.')]
      : [],
  )

/** Money sent to a contract whose key nobody holds is lost. */
function recipients(profile: ChainProfile): Finding[] {
  const { kind, contracts, delegation, core_tokens, fee_recipient, treasury_buckets, cosigner } = profile
  const ours = [
    ...Object.values(contracts),
    ...Object.values(delegation.enforcers),
    ...[delegation.delegation_manager, delegation.stateless_delegator],
    ...core_tokens.map(({ address }) => address),
  ].filter((address): address is string => typeof address === 'string' && address.length === 42)
  const named = { fee_recipient, cosigner, ...treasury_buckets }
  const findings = Object.entries(named).flatMap(([name, address]) =>
    address !== null && ours.some((one) => same(one, address))
      ? [fail(name, `${address} is one of the profile’s contracts`, 'Set an address whose key you hold.')]
      : [],
  )
  if (kind === 'mainnet' && fee_recipient === null)
    findings.push(warn('fee_recipient', 'not set', 'Trading is off without it: set yours.'))
  return findings
}
