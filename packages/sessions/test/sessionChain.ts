import type { Address, Hex } from '@pit/chain'
import type { Rpc, RpcCall } from '@pit/platform/rpc'
import { RpcUnreachable } from '@pit/platform/rpc'

/** What a scripted node says of wallets and approvals; tests change it. */
export interface SessionChain {
  code: Map<Address, Hex>
  nonce: Map<Address, number>
  balance: Map<Address, bigint>
  /** Of a token to a spender, by `token spender`. */
  allowance: Map<string, bigint>
  /** Permit2's to the router, by token. */
  permit: Map<Address, { amount: bigint; expirationS: number }>
  disabled: Set<Hex>
  isDown: boolean
  rpc: Pick<Rpc, 'request' | 'batch'>
}

const word = (value: bigint | number): string => value.toString(16).padStart(64, '0')
const ALLOWANCE = '0xdd62ed3e'
const PERMIT_ALLOWANCE = '0x927da105'

export function createSessionChain({ disabledSelector }: { disabledSelector: Hex }): SessionChain {
  const chain: SessionChain = {
    code: new Map(),
    nonce: new Map(),
    balance: new Map(),
    allowance: new Map(),
    permit: new Map(),
    disabled: new Set(),
    isDown: false,
    rpc: {
      request: async <T>(method: string, params: readonly unknown[] = []) => {
        if (chain.isDown) throw new RpcUnreachable('down')
        return answer([method, params]) as T
      },
      batch: async (calls) => {
        if (chain.isDown) throw new RpcUnreachable('down')
        return calls.map((call) => ({ ok: true as const, result: answer(call) }))
      },
    },
  }

  function answer([method, params]: RpcCall): unknown {
    const who = params[0] as Address
    if (method === 'eth_getCode') return chain.code.get(who) ?? '0x'
    if (method === 'eth_getTransactionCount') return `0x${(chain.nonce.get(who) ?? 0).toString(16)}`
    if (method === 'eth_getBalance') return `0x${(chain.balance.get(who) ?? 0n).toString(16)}`
    if (method === 'eth_call') return call(params[0] as { to: Address; data: Hex })
    if (method === 'eth_simulateV1') return simulate(params[0] as Simulation)
    throw new Error(`the script knows no ${method}`)
  }

  function call({ to, data }: { to: Address; data: Hex }, disabled = chain.disabled): Hex {
    const argument = (i: number): Address => `0x${data.slice(10 + 64 * i + 24, 10 + 64 * (i + 1))}`
    if (data.startsWith(ALLOWANCE)) return `0x${word(chain.allowance.get(`${to} ${argument(1)}`) ?? 0n)}`
    if (data.startsWith(PERMIT_ALLOWANCE)) {
      const { amount, expirationS } = chain.permit.get(argument(1)) ?? { amount: 0n, expirationS: 0 }
      return `0x${word(amount)}${word(expirationS)}${word(0)}`
    }
    if (data.startsWith(disabledSelector)) {
      return `0x${word(disabled.has(`0x${data.slice(10, 74)}`) ? 1 : 0)}`
    }
    return '0x'
  }

  /** Every call of the first block works, and the manager then says of each root that it is disabled. */
  function simulate({ blockStateCalls }: Simulation): unknown {
    return blockStateCalls.map(({ calls }, i) => ({
      number: '0x1',
      baseFeePerGas: '0x1',
      calls: calls.map(() => ({
        status: '0x1',
        gasUsed: '0xc350',
        returnData: i === 0 ? '0x' : `0x${word(1)}`,
        logs: [],
      })),
    }))
  }
  interface Simulation {
    blockStateCalls: { calls: unknown[] }[]
  }
  return chain
}
