import type { Address, Hex } from '@pit/chain'
import { createScriptedChain, word } from '@pit/platform/test/scriptedChain'
import { concat, toFunctionSelector } from 'viem'

const ALLOWANCE = '0xdd62ed3e'
const PERMIT_ALLOWANCE = '0x927da105'
const DISABLED = toFunctionSelector('disabledDelegations(bytes32)')
const NONCE = toFunctionSelector('currentNonce(address,address)')

/** A chain with scripted approvals and root states. */
export function openSessionChain() {
  const chain = Object.assign(createScriptedChain({ startS: 0 }), {
    /** Allowance by `token spender`. */
    allowance: new Map<string, bigint>(),
    /** Permit2 allowance for the router, by token. */
    permit: new Map<Address, { amount: bigint; expirationS: number }>(),
    disabled: new Set<Hex>(),
    /** Of every wallet at the NonceEnforcer. */
    sessionNonce: 0n,
  })
  chain.onCall(({ to, data }) => {
    const second: Address = `0x${data.slice(98, 138)}`
    if (data.startsWith(ALLOWANCE)) return word(chain.allowance.get(`${to} ${second}`) ?? 0n)
    if (data.startsWith(PERMIT_ALLOWANCE)) {
      const { amount, expirationS } = chain.permit.get(second) ?? { amount: 0n, expirationS: 0 }
      return concat([word(amount), word(expirationS), word(0)])
    }
    if (data.startsWith(NONCE)) return word(chain.sessionNonce)
    return data.startsWith(DISABLED) ? word(chain.disabled.has(`0x${data.slice(10, 74)}`) ? 1 : 0) : undefined
  })
  /** Every call of the first block succeeds, and the manager then reports each root as disabled. */
  chain.on('eth_simulateV1', ([{ blockStateCalls }]) =>
    blockStateCalls.map(({ calls }: { calls: unknown[] }, i: number) => ({
      number: '0x1',
      baseFeePerGas: '0x1',
      calls: calls.map(() => ({
        status: '0x1',
        gasUsed: '0xc350',
        returnData: i === 0 ? '0x' : word(1),
        logs: [],
      })),
    })),
  )
  return chain
}
