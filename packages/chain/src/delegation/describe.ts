import { formatEther } from 'viem'
import type { Address, Hex } from '../bytes/hex.ts'
import { allLaunchpads } from '../launchpads/index.ts'
import { type CaveatTerms, decodeCaveat } from './caveats.ts'
import { EXECUTE_SELECTOR } from './root.ts'
import type { Caveat, DelegationAddresses } from './types.ts'

export type CaveatInWords = {
  /** Undefined for one Pit does not use: it should not be signed. */
  enforcer: CaveatTerms['enforcer'] | undefined
  address: Address
  terms: Hex
  says: string
}

const METHODS: Readonly<Record<Hex, string>> = {
  [EXECUTE_SELECTOR]: 'execute(bytes,bytes[],uint256)',
  ...Object.fromEntries(
    allLaunchpads().flatMap(({ methods }) =>
      [methods.buy, methods.sell].map(({ selector, signature }) => [selector, signature]),
    ),
  ),
}

/** Each caveat with what it bounds in plain words, read from its own bytes. */
export function describeCaveats(addresses: DelegationAddresses, caveats: readonly Caveat[]): CaveatInWords[] {
  return caveats.map((caveat) => {
    const terms = decodeCaveat(addresses, caveat)
    const says = terms ? sentence(terms) : 'Not a caveat Pit uses: do not sign it.'
    return { enforcer: terms?.enforcer, address: caveat.enforcer, terms: caveat.terms, says }
  })
}

function sentence(terms: CaveatTerms): string {
  switch (terms.enforcer) {
    case 'Redeemer':
      return `Only ${list(terms.redeemers)} can use it.`
    case 'AllowedTargets':
      return `It can call ${list(terms.targets)} and nothing else.`
    case 'AllowedMethods': {
      const methods = terms.selectors.map((selector) => METHODS[selector] ?? selector)
      return `It can call ${list(methods)} and no other method.`
    }
    case 'Timestamp':
      return times(terms.afterS, terms.beforeS)
    case 'LimitedCalls':
      return `It works ${terms.limit} times in all.`
    case 'NativeTokenPeriodTransfer': {
      const window = `each window of ${terms.periodS} s, counted from ${time(terms.startS)}`
      return `At most ${eth(terms.amountWei)} leave with its calls in ${window}.`
    }
    case 'ValueLte':
      return terms.valueWei === 0n
        ? 'No ETH leaves with its calls.'
        : `At most ${eth(terms.valueWei)} leave with one call.`
    case 'ExactExecution': {
      const { target, valueWei } = terms.execution
      return `It allows one call only: ${target} with ${eth(valueWei)} and exactly this calldata.`
    }
    case 'Id':
      return `It works once (id ${terms.id}).`
    case 'ExactCalldata':
      return terms.data === '0x'
        ? 'It sends ETH and calls no method.'
        : 'It allows exactly this calldata and no other.'
    case 'NativeTokenPayment':
      return `It works only when ${eth(terms.amountWei)} are paid to ${terms.recipient} with it.`
    case 'ArgsEqualityCheck':
      return `It pays only for the delegation ${terms.delegationHash} when ${terms.redeemer} uses that.`
    case 'Nonce':
      return `It ends when the wallet raises its nonce above ${terms.nonce}.`
  }
}

function times(afterS: number, beforeS: number): string {
  if (afterS === 0) return beforeS === 0 ? 'It has no end.' : `It ends at ${time(beforeS)}.`
  return `It begins after ${time(afterS)}${beforeS === 0 ? '' : ` and ends at ${time(beforeS)}`}.`
}

const list = (items: readonly string[]): string => items.join(' or ')
const eth = (wei: bigint): string => `${formatEther(wei)} ETH`

function time(atS: number): string {
  // Past what a date can say it is as good as never.
  return atS > 8_640_000_000_000
    ? 'the end of time'
    : new Date(atS * 1000).toISOString().replace('.000Z', 'Z')
}
