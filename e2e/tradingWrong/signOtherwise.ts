import type { Hex } from '@pit/chain'
import { privateKeyToAccount } from 'viem/accounts'
import type { UnsignedStep } from '../trading/trader.ts'

/** A step signed as another transaction type than built. */
export function signOtherwise(
  privateKey: Hex,
  step: UnsignedStep,
  kind: 'legacy' | 'access list' | 'creation',
): Promise<Hex> {
  const account = privateKeyToAccount(privateKey)
  const { to, data, nonce } = step
  const feeWei = BigInt(step.max_fee_per_gas)
  const tx = { chainId: step.chain_id, value: BigInt(step.value), data, nonce, gas: BigInt(step.gas) }
  if (kind === 'legacy') return account.signTransaction({ ...tx, to, type: 'legacy', gasPrice: feeWei })
  const modern = { ...tx, type: 'eip1559', maxFeePerGas: feeWei } as const
  if (kind === 'creation') return account.signTransaction(modern)
  return account.signTransaction({ ...modern, to, accessList: [{ address: to, storageKeys: [] }] })
}
