import {
  type Address,
  type Crypto,
  createCrypto,
  type Delegation,
  delegationAddresses,
  type Execution,
  encodeDisable,
  encodeRedeem,
  erc20Abi,
  type Hex,
  type Redemption,
  type RootRequest,
  readRoot,
  type SessionRoot,
  sessionRoot,
  signAuthorization,
  signDelegation,
  signTx,
  type UnsignedTx,
} from '@pit/chain'
import { encodeBatch, encodeErc20Approve, encodePermit2Approve } from '@pit/plans'
import { bindingHash, createBinding, SESSION, type SessionBindingV3 } from '@pit/protocol'
import { decodeErrorResult, keccak256, parseAbi, stringToHex, zeroAddress } from 'viem'
import { openTestWorld } from '../../packages/devnet/test/testWorld.ts'

/** Roles of a session on a chain with the real contracts; time stands still unless a test moves it. */
export type Stage = Awaited<ReturnType<typeof openStage>>
export type Granted = { binding: SessionBindingV3; request: RootRequest; root: Delegation; read: RouterRoot }
export type RouterRoot = Extract<SessionRoot, { kind: 'router' }>
type Receipt = { status: Hex; gasUsed: Hex; effectiveGasPrice: Hex; logs: { topics: Hex[] }[] }

export const ETH = 10n ** 18n
export const USDG = 10n ** 6n
/** Caps of the sessions in these tests; about 25 and 100 dollars. */
export const CAPS = { tradeWei: ETH / 200n, dayWei: ETH / 50n }
export const LIMITS = { max_trade_micro_usd: 25_000_000, max_day_micro_usd: 100_000_000, max_trades: 50 }
/** Approved to the router through Permit2: more than a day's dollars. */
export const BUDGET = 150n * USDG

const REASONS = parseAbi([
  'error Error(string)',
  'error InvalidDelegate()',
  'error InvalidDelegator()',
  'error InvalidAuthority()',
  'error InvalidEOASignature()',
  'error InvalidERC1271Signature()',
  'error CannotUseADisabledDelegation()',
  'error InsufficientAllowance(uint256)',
  'error InsufficientAllowance(address,uint256,uint256)',
  'error AllowanceExpired(uint256)',
])

const keyOf = (name: string): Hex => keccak256(stringToHex(`session test ${name}`))

export async function openStage() {
  const crypto: Crypto = await createCrypto()
  const it = await openTestWorld({ longTail: 0, curves: 0, graduated: 0, historyS: 200 })
  const { chain } = it
  const { profile } = it.world
  const place = delegationAddresses(profile)
  const lower = (address: string | null): Address => (address ?? zeroAddress).toLowerCase() as Address
  const at = {
    router: lower(profile.contracts.universal_router),
    weth: lower(profile.contracts.weth),
    permit2: lower(profile.contracts.permit2),
    usdg: lower(it.core('USDG')),
    feeRecipient: lower(profile.fee_recipient),
  }
  const keys = {
    wallet: keyOf('wallet'),
    cosigner: keyOf('co-signer'),
    executor: keyOf('executor'),
    /** The attacker's account, with its own code. */
    mallory: keyOf('mallory'),
  }
  type Role = keyof typeof keys
  const who = Object.fromEntries(
    Object.entries(keys).map(([role, key]) => [role, crypto.addressOf(key)]),
  ) as Record<Role, Address>

  const nowS = (): number => Number(chain.head().timestampS)
  const balance = async (address: Address, token: Address = zeroAddress): Promise<bigint> =>
    token === zeroAddress
      ? BigInt(await chain.request<Hex>('eth_getBalance', [address, 'latest']))
      : it.read<bigint>({ to: token, abi: erc20Abi, functionName: 'balanceOf', args: [address] })

  async function send(
    from: Role,
    tx: {
      to: Address
      data?: Hex
      valueWei?: bigint
      upgrade?: Role
      delegator?: Address
      maxPriorityFeePerGas?: bigint
    },
  ): Promise<Receipt> {
    const nonceOf = async (role: Role) =>
      Number(await chain.request<Hex>('eth_getTransactionCount', [who[role], 'latest']))
    const tip = tx.maxPriorityFeePerGas ?? 0n
    const common = {
      chainId: place.chainId,
      nonce: await nonceOf(from),
      maxPriorityFeePerGas: tip,
      maxFeePerGas: 2n * chain.head().baseFeeWei + tip,
      gas: 3_000_000n,
      to: tx.to,
      value: tx.valueWei ?? 0n,
      data: tx.data ?? '0x',
      accessList: [],
    } as const
    let unsigned: UnsignedTx = { type: 2, ...common }
    if (tx.upgrade) {
      // An account that sends the transaction itself uses a nonce before its authorization counts.
      const nonce = (await nonceOf(tx.upgrade)) + (tx.upgrade === from ? 1 : 0)
      const authorization = { chainId: place.chainId, address: tx.delegator ?? place.delegator, nonce }
      const signed = signAuthorization(crypto, authorization, keys[tx.upgrade])
      unsigned = { type: 4, ...common, authorizationList: [signed] }
    }
    const hash = await chain.sendRaw(signTx(crypto, unsigned, keys[from]).raw)
    await chain.mine(chain.head().timestampS)
    return chain.request<Receipt>('eth_getTransactionReceipt', [hash])
  }

  /** The contract's error of a reverting call; `works` if it does not revert. */
  async function reasonOf(from: Address, to: Address, data: Hex): Promise<string> {
    try {
      await chain.request('eth_call', [{ from, to, data }, 'latest'])
      return 'works'
    } catch (error) {
      const inner = (error as { data?: { data?: Hex } | Hex }).data
      const bytes = typeof inner === 'string' ? inner : inner?.data
      if (!bytes || bytes === '0x') return 'no reason'
      try {
        const { errorName, args } = decodeErrorResult({ abi: REASONS, data: bytes })
        return errorName === 'Error' ? String(args?.[0]) : errorName
      } catch {
        return bytes
      }
    }
  }

  const sign = (role: Role, delegation: Delegation): Delegation =>
    signDelegation(crypto, place, delegation, keys[role])

  let grants = 0
  /** A session as an owner signs it; `caps` is null for one without ETH. */
  function grant(
    change: {
      tokens?: Address[]
      caps?: RootRequest['eth']
      max_trades?: number
      expiresS?: number
      nowS?: number
    } = {},
  ): Granted {
    const binding = createBinding({
      ...who,
      router: at.router,
      tokens: change.tokens ?? [zeroAddress, at.usdg],
      limits: { ...LIMITS, max_trades: change.max_trades ?? LIMITS.max_trades },
      expires_at: change.expiresS ?? nowS() + 7 * SESSION.dayWindowS,
      feeRecipient: at.feeRecipient,
      risk: { accept_risks: [], shield: false, policies: [] },
      nonce: keccak256(stringToHex(`grant ${grants++}`)),
    })
    const params: RootRequest = {
      binding,
      bindingHash: bindingHash(crypto.keccakText, binding),
      eth: change.caps === undefined ? CAPS : change.caps,
      nowS: change.nowS ?? nowS(),
    }
    const root = sign('wallet', sessionRoot(place, params))
    return { binding, request: params, root, read: readRoot(crypto, place, root) as RouterRoot }
  }

  /** A leaf without limits, as an attacker with the co-signer's key can sign it. */
  const freeLeaf = (root: Delegation, change: Partial<Delegation> = {}): Delegation =>
    sign('cosigner', {
      delegate: who.executor,
      delegator: who.cosigner,
      authority: hashOf(root),
      caveats: [],
      salt: 0n,
      signature: '0x',
      ...change,
    })
  const hashOf = (root: Delegation): Hex => {
    const read = readRoot(crypto, place, root)
    if (!read) throw new Error('not a root')
    return read.hash
  }

  const tryRedeem = (redemptions: Redemption[], from: Role = 'executor'): Promise<string> =>
    reasonOf(who[from], place.manager, encodeRedeem(redemptions))
  const redeem = (redemptions: Redemption[], from: Role = 'executor'): Promise<Receipt> =>
    send(from, { to: place.manager, data: encodeRedeem(redemptions) })
  /** Both keys are stolen: only the root's caveats are left. */
  const tryFree = (root: Delegation, execution: Execution): Promise<string> =>
    tryRedeem([{ delegations: [freeLeaf(root), root], execution }])
  const redeemFree = (root: Delegation, execution: Execution): Promise<Receipt> =>
    redeem([{ delegations: [freeLeaf(root), root], execution }])

  for (const role of ['wallet', 'executor', 'cosigner', 'mallory'] as const) {
    await chain.admin('hardhat_setBalance', [who[role], `0x${(100n * ETH).toString(16)}`])
  }
  const gift = { to: at.usdg, abi: erc20Abi, functionName: 'transfer' }
  await it.must({ ...gift, args: [who.wallet, 1_000n * USDG] })
  await send('mallory', { to: who.mallory, upgrade: 'mallory' })

  return {
    it,
    chain,
    crypto,
    place,
    at,
    keys,
    who,
    nowS,
    balance,
    send,
    reasonOf,
    sign,
    grant,
    freeLeaf,
    hashOf,
    tryRedeem,
    redeem,
    tryFree,
    redeemFree,
    disable: (root: Delegation) => send('wallet', { to: place.manager, data: encodeDisable(root) }),
    /**
     * The owner's setup of a session in a separate transaction: its code, and this much USDG for the router.
     */
    approveBudget: (amount: bigint) => {
      const [token, spender] = [at.usdg, at.router]
      const expiration = nowS() + 30 * SESSION.dayWindowS
      const calls = [
        { to: token, valueWei: 0n, data: encodeErc20Approve(at.permit2, amount) },
        {
          to: at.permit2,
          valueWei: 0n,
          data: encodePermit2Approve({ token, spender, amount, expiration }),
        },
      ]
      return send('wallet', { to: who.wallet, data: encodeBatch(calls), upgrade: 'wallet' })
    },
  }
}
