import { type Address, type Hex, NATIVE } from '@pit/chain'
import { isPitError } from '@pit/protocol'
import { expect } from 'vitest'
import type { Receipt, SimulatorWorld, Trade } from './world.ts'

export const ETH = 10n ** 18n
export const USD = 10n ** 6n
export const MAX_UINT256 = (1n << 256n) - 1n
/** `sync()` of a v2 pair. */
export const SYNC = '0xfff6cae9'
export const MAX_UINT160 = (1n << 160n) - 1n
/** An account without a balance. */
export const BROKE: Address = '0x00000000000000000000000000000000b0b0b0b0'
export const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'passed',
    (error) => (isPitError(error) ? error.code : String(error)),
  )
export const before = ({ blockNumber }: Receipt): Hex => `0x${(BigInt(blockNumber) - 1n).toString(16)}`

/** Amounts that a mined swap paid to wallet and fee recipient, gas excluded. */
export async function mineAndCompare(it: SimulatorWorld, { request, swap }: Trade) {
  const receipt = await it.mine(swap.tx)
  expect(receipt.status).toBe('0x1')
  const grown = async (token: Address, owner: Address) =>
    (await it.balance(token, owner, receipt.blockNumber)) - (await it.balance(token, owner, before(receipt)))
  const gasWei =
    request.tokenOut === NATIVE ? BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice) : 0n
  return {
    amountOut: (await grown(request.tokenOut, request.wallet)) + gasWei,
    fee: await grown(request.fee.token, request.fee.recipient),
    gasUsed: Number(receipt.gasUsed),
  }
}
