import { type Address, erc20Abi, type Hex, multicall3Abi, NATIVE } from '@pit/chain'
import { decodeFunctionResult, encodeFunctionData, type Hex as ViemHex } from 'viem'
import { malformed, type Reading } from './reading.ts'
import { isUnsupported, type RpcCall, RpcFailure } from './rpc.ts'

export interface TrialCall {
  to: Address
  value: bigint
  data: Hex
}
export type Trial =
  | {
      ok: true
      /** Balance changes of the holders, in the requested order. */
      changes: readonly bigint[]
      gasUsed: readonly bigint[]
      /** Results of the calls of the second block. */
      later: readonly SimulatedCall[]
    }
  | { ok: false; why: string /** The node has no eth_simulateV1. */; unsupported?: boolean }

/** A balance to watch. */
export interface Watched {
  holder: Address
  token: Address
}

/** Calls of a wallet in the block after the transactions. */
export interface LaterCalls {
  wallet: Address
  calls: readonly { from?: Address; to: Address; data: Hex }[]
}

/** So that a token cannot tell the simulation by its free gas. */
const GAS_PRICE_WEI = 1n
const LATER_GAS = 3_000_000n
const LENT_WEI = 10n ** 18n

/** Runs transactions on the client's own node without sending them, and reads what they move. */
export function askTrial(
  from: Address,
  transactions: readonly TrialCall[],
  watched: readonly Watched[],
  {
    multicall3,
    code = {},
    later,
  }: {
    multicall3: Address
    /** Wallets that run this contract's code as if they had taken it already. */
    code?: Readonly<Record<Address, Address>>
    later?: LaterCalls | null
  },
): { call: RpcCall; read(reading: Reading): Trial } {
  const readings = watched.map((one) => balanceCall(one, multicall3))
  const calls = [
    ...readings,
    ...transactions.map(({ to, value, data }) => ({ from, to, value: quantity(value), data })),
    ...readings,
  ]
  const last = readings.length + transactions.length
  const stateOverrides = Object.fromEntries(
    Object.entries(code).map(([wallet, at]) => [wallet, { code: `0xef0100${at.slice(2)}` }]),
  )
  const blockStateCalls = [{ calls, stateOverrides }, ...(later ? [laterBlock(later)] : [])]
  const call: RpcCall = { method: 'eth_simulateV1', params: [{ blockStateCalls }, 'latest'] }
  return {
    call,
    read(reading) {
      const answer = reading.simulated(call)
      if (answer instanceof RpcFailure)
        return { ok: false, why: answer.message, unsupported: isUnsupported(answer) }
      const [first, second] = answer as ({ calls: SimulatedCall[] } | undefined)[]
      const results = first?.calls ?? []
      if (results.length !== calls.length) malformed(call)
      const failed = results.slice(readings.length, last).find(({ status }) => status !== '0x1')
      if (failed) return { ok: false, why: failed.error?.message ?? 'it reverts' }
      const balances = results.map(({ returnData }) => returnData)
      const changes = watched.map(
        (one, i) => balanceIn(one, balances[last + i]!) - balanceIn(one, balances[i]!),
      )
      return {
        ok: true,
        changes,
        gasUsed: results.slice(readings.length, last).map(({ gasUsed }) => BigInt(gasUsed)),
        later: second?.calls ?? [],
      }
    },
  }
}

/** Lent ETH pays the gas: the wallet of a session may hold none. */
const laterBlock = ({ wallet, calls }: LaterCalls) => ({
  stateOverrides: { [wallet]: { balance: quantity(LENT_WEI) } },
  calls: calls.map((call) =>
    call.from ? { ...call, gas: quantity(LATER_GAS), gasPrice: quantity(GAS_PRICE_WEI) } : call,
  ),
})

export interface SimulatedCall {
  status: ViemHex
  returnData: Hex
  gasUsed: Hex
  error?: { message: string }
}

const quantity = (value: bigint): Hex => `0x${value.toString(16)}`

export function balanceCall({ holder, token }: Watched, multicall3: Address) {
  return token === NATIVE
    ? {
        to: multicall3,
        data: encodeFunctionData({ abi: multicall3Abi, functionName: 'getEthBalance', args: [holder] }),
      }
    : { to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [holder] }) }
}

export const balanceIn = ({ token }: Watched, data: Hex): bigint =>
  token === NATIVE
    ? decodeFunctionResult({ abi: multicall3Abi, functionName: 'getEthBalance', data })
    : decodeFunctionResult({ abi: erc20Abi, functionName: 'balanceOf', data })
