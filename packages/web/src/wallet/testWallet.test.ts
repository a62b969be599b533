import { recoverMessageAddress, recoverTransactionAddress, stringToHex } from 'viem'
import { recoverAuthorizationAddress } from 'viem/utils'
import { describe, expect, it } from 'vitest'
import { createTestWallet, type TestMode } from './testWallet.ts'

const ACCOUNT_1 = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const OTHER = '0x00000000000000000000000000000000000bad01'
const open = (mode: TestMode) =>
  createTestWallet({ index: 1, mode, nodeUrl: 'http://127.0.0.1:9', sendUrl: 'http://127.0.0.1:9' })
const ask = (mode: TestMode, method: string, ...params: unknown[]) => open(mode).request({ method, params })

const TRANSACTION = {
  to: OTHER,
  gas: '0x5208',
  nonce: '0x1',
  maxFeePerGas: '0x10',
  maxPriorityFeePerGas: '0x1',
}
const AUTHORIZATION = { address: OTHER, chainId: 4663, nonce: 3 } as const
const delegationOf = (delegator: string) =>
  JSON.stringify({
    domain: { name: 'DelegationManager', version: '1', chainId: 4663, verifyingContract: OTHER },
    types: { Delegation: [{ name: 'delegator', type: 'address' }] },
    primaryType: 'Delegation',
    message: { delegator },
  })

describe.each(['full', 'like MetaMask'] as const)('the test wallet, %s', (mode) => {
  it('shows its account and signs messages', async () => {
    expect(await ask(mode, 'eth_requestAccounts')).toEqual([ACCOUNT_1])
    const signature = await ask(mode, 'personal_sign', stringToHex('hello'), ACCOUNT_1)
    const signer = await recoverMessageAddress({ message: 'hello', signature: signature as `0x${string}` })
    expect(signer.toLowerCase()).toBe(ACCOUNT_1)
  })

  it('signs a delegation of another account', async () => {
    expect(await ask(mode, 'eth_signTypedData_v4', ACCOUNT_1, delegationOf(OTHER))).toMatch(
      /^0x[0-9a-f]{130}$/,
    )
  })
})

it('in full mode signs a transaction, an authorization and a delegation of its own account', async () => {
  const raw = (await ask('full', 'eth_signTransaction', TRANSACTION)) as `0x02${string}`
  expect((await recoverTransactionAddress({ serializedTransaction: raw })).toLowerCase()).toBe(ACCOUNT_1)
  const signature = (await ask('full', 'wallet_signAuthorization', AUTHORIZATION)) as `0x${string}`
  const signer = await recoverAuthorizationAddress({ authorization: AUTHORIZATION, signature })
  expect(signer.toLowerCase()).toBe(ACCOUNT_1)
  expect(await ask('full', 'eth_signTypedData_v4', ACCOUNT_1, delegationOf(ACCOUNT_1))).toMatch(/^0x/)
})

it.each([
  ['eth_signTransaction', [TRANSACTION], -32601],
  ['wallet_signAuthorization', [AUTHORIZATION], -32601],
  ['eth_sendTransaction', [{ ...TRANSACTION, authorizationList: [AUTHORIZATION] }], -32602],
  ['eth_sendTransaction', [{ ...TRANSACTION, type: '0x4' }], -32602],
  ['eth_signTypedData_v4', [ACCOUNT_1, delegationOf(ACCOUNT_1)], -32603],
])('like MetaMask refuses %s %#', async (method, params, code) => {
  await expect(ask('like MetaMask', method, ...params)).rejects.toMatchObject({ code })
})
