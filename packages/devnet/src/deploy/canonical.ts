import * as bytecode from '@metamask/delegation-abis/bytecode'
import { DELEGATOR_CONTRACTS } from '@metamask/delegation-deployments'
import { type Address, concat, encodeAbiParameters, getAddress, getContractAddress, type Hex } from 'viem'
import type { Chain } from '../engine/types.ts'
import { multicall3InitCode, permit2Runtime } from './npmArtifacts.ts'
import type { Transactions } from './transactions.ts'

export const PERMIT2: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3'
export const MULTICALL3: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'

/** The keyless transaction that puts the CREATE2 proxy at its address on every chain. */
const CREATE2_PROXY_SIGNER: Address = '0x3fAB184622Dc19b6109349B94811493BF2a45362'
const CREATE2_PROXY_TX: Hex =
  '0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba02222222222222222222222222222222222222222222222222222222222222222a02222222222222222222222222222222222222222222222222222222222222222'

const deployments = DELEGATOR_CONTRACTS['1.3.0']?.[4663] as Record<string, Address> | undefined
const codes = bytecode as unknown as Record<string, Hex>

export interface Delegation {
  delegation_manager: Address
  stateless_delegator: Address
  enforcers: Record<string, Address>
}

/** Addresses of the Delegation Framework on chain 4663, from `@metamask/delegation-deployments`. */
export function delegationAddresses(): Delegation & { all: Record<string, Address> } {
  if (!deployments) throw new Error('@metamask/delegation-deployments has no entry for chain 4663')
  const all = Object.fromEntries(Object.entries(deployments).map(([name, at]) => [name, getAddress(at)]))
  return {
    all,
    delegation_manager: all['DelegationManager']!,
    stateless_delegator: all['EIP7702StatelessDeleGatorImpl']!,
    enforcers: Object.fromEntries(Object.entries(all).filter(([name]) => name.endsWith('Enforcer'))),
  }
}

/**
 * Puts code at an address as its constructor would have left it: the init code runs at the same address in a
 * call, so that immutables about itself (EIP-712 domains, `address(this)`) are right.
 */
async function construct(chain: Chain, at: Address, initCode: Hex): Promise<void> {
  const runtime = await chain.request<Hex>('eth_call', [{ to: at }, 'latest', { [at]: { code: initCode } }])
  if (runtime.length < 4) throw new Error(`nothing was constructed at ${at}`)
  await chain.admin('hardhat_setCode', [at, runtime])
}

/** CREATE2 proxy, Permit2 and Multicall3 at their usual addresses. */
export async function placeCanonical(chain: Chain): Promise<void> {
  await chain.admin('hardhat_setBalance', [CREATE2_PROXY_SIGNER, '0x16345785d8a0000'])
  await chain.sendRaw(CREATE2_PROXY_TX)
  await chain.admin('hardhat_setCode', [PERMIT2, permit2Runtime()])
  await construct(chain, MULTICALL3, multicall3InitCode())
}

/** The Delegation Framework 1.3.0, all of it, at its addresses on chain 4663. */
export async function placeDelegation(chain: Chain, txs: Transactions, owner: Address): Promise<void> {
  const { all } = delegationAddresses()
  const at = (name: string) => all[name]!
  const manager = at('DelegationManager')
  const args: Record<string, Address[]> = {
    DelegationManager: [owner],
    MultiSigDeleGatorImpl: [manager, at('EntryPoint')],
    HybridDeleGatorImpl: [manager, at('EntryPoint')],
    EIP7702StatelessDeleGatorImpl: [manager, at('EntryPoint')],
    LogicalOrWrapperEnforcer: [manager],
    NativeTokenPaymentEnforcer: [manager, at('ArgsEqualityCheckEnforcer')],
  }
  const passkeyVerifier = txs.create('SCL_RIP7212', codes['SCL_RIP7212']!)
  // One after another: each concurrent call would take a thread of the engine, and threads keep their memory.
  for (const name of Object.keys(all)) {
    const addresses = args[name] ?? []
    const code = codes[name.replace(/Impl$/, '')]
    if (!code) throw new Error(`@metamask/delegation-abis has no bytecode of ${name}`)
    const linked = code.replace(/__\$[0-9a-f]{34}\$__/g, passkeyVerifier.slice(2).toLowerCase()) as Hex
    const encoded = encodeAbiParameters(
      addresses.map(() => ({ type: 'address' })),
      addresses,
    )
    await construct(chain, at(name), concat([linked, encoded]))
  }
  // Storage and contracts that the constructors made: the manager's owner, the entry point's helper.
  await chain.admin('hardhat_setStorageAt', [
    manager,
    '0x0',
    encodeAbiParameters([{ type: 'address' }], [owner]),
  ])
  const senderCreator = getContractAddress({ from: at('EntryPoint'), nonce: 1n })
  await construct(chain, senderCreator, codes['SenderCreator']!)
}
