import { readFileSync } from 'node:fs'
import {
  type Address,
  type Crypto,
  createCrypto,
  curveRoots,
  type Delegation,
  type DelegationAddresses,
  delegationAddresses,
  delegationHash,
  type Hex,
  NATIVE,
  sessionRoot,
  signDelegation,
} from '@pit/chain'
import {
  type BindingMark,
  bindingHash,
  boundControls,
  type ChainProfile,
  createBinding,
  type SessionBinding,
  type SessionBindingV3,
} from '@pit/protocol'
import { type DevnetProcess, startDevnetProcess } from '../devnetProcess.ts'
import { createRandom, type Random } from '../fuzz/random.ts'
import { newSignerFolder, removeFolder, type SignerProcess, startSignerProcess } from '../signerProcess.ts'

export const E18 = 10n ** 18n
export const lower = (address: string): Address => address.toLowerCase() as Address

export interface Token {
  address: Address
  decimals: number
  /** Price of a whole token in dollars, times 10^18. */
  priceE18: bigint
  /** Rank among the tokens whose side pays the fee; core tokens only. */
  rank: number | null
  isMajor: boolean
}

export interface Granted {
  binding: SessionBinding
  request: Parameters<typeof sessionRoot>[1]
  root: Delegation
  rootHash: Hex
  curveRoots: Delegation[]
  walletKey: Hex
}

export type World = Awaited<ReturnType<typeof openWorld>>
export type GrantChange = Partial<Omit<SessionBindingV3, 'marks'>> & {
  marks?: BindingMark[]
  /** Key that signs instead of the wallet. */
  signer?: Hex
  curves?: Address[]
  /** Owner of the session; a new account if absent. */
  walletKey?: Hex
}

/** A devnet with a frozen market, the running signer, and the keys of every role except the co-signer. */
export async function openWorld({ seed }: { seed: number }) {
  const crypto: Crypto = await createCrypto()
  const random = createRandom(seed)
  const devnet = await startDevnetProcess({ MARKET: 'off' })
  const folder = await newSignerFolder()
  const profile = JSON.parse(readFileSync(devnet.profileFile, 'utf8')) as ChainProfile
  const start = () =>
    startSignerProcess({ folder, rpcUrl: devnet.signerUrls, profileFile: devnet.profileFile })
  let signer = await start()
  const { cosigner } = await signer.client.health()
  const place = delegationAddresses(profile)
  const launched = await devnet.rpc<{ curve: Address; token: Address }>('devnet_launch', [
    { pair: 'ETH', symbol: 'ESCAPE' },
  ])
  const curve = { address: lower(launched.curve), token: lower(launched.token) }
  const { junk, junkPriceE18 } = await findJunk(devnet, profile)
  const tokens = await readTokens(devnet, profile)
  const feedless = (address: Address, dollarsE18: bigint): Token => ({
    address,
    decimals: 18,
    priceE18: dollarsE18,
    rank: null,
    isMajor: false,
  })
  tokens.set(junk, feedless(junk, junkPriceE18))
  tokens.set(curve.token, feedless(curve.token, E18 / 100_000n))
  const marks: BindingMark[] = [junk, curve.token].map((token) => ({
    token,
    decimals: 18,
    price_e18: tokens.get(token)!.priceE18.toString(),
  }))
  const keyOf = (): Hex => `0x${random.bytes(32).toString('hex')}`
  const at = {
    router: lower(profile.contracts.universal_router!),
    weth: lower(profile.contracts.weth!),
    permit2: lower(profile.contracts.permit2),
    feeRecipient: lower(profile.fee_recipient!),
    symbol: (name: string) => lower(profile.core_tokens.find(({ symbol }) => symbol === name)!.address),
  }
  const executorKey = keyOf()
  const executor = crypto.addressOf(executorKey)
  const { baseFeePerGas } = await devnet.rpc<{ baseFeePerGas: Hex }>('eth_getBlockByNumber', [
    'latest',
    false,
  ])
  const ethPrice = tokens.get(NATIVE)!.priceE18
  const weiOf = (microUsd: number): bigint => (BigInt(microUsd) * 10n ** 30n) / ethPrice

  /** A session as an owner would sign it, with caps that fit many honest trades. */
  function grant({
    signer: key,
    curves = [curve.address],
    walletKey = keyOf(),
    ...change
  }: GrantChange = {}): Granted {
    const made = createBinding({
      wallet: crypto.addressOf(walletKey),
      executor,
      cosigner,
      router: at.router,
      tokens: [...tokens.keys()],
      limits: { max_trade_micro_usd: 1_000_000_000, max_day_micro_usd: 100_000_000_000, max_trades: 10_000 },
      expires_at: Math.floor(Date.now() / 1000) + 3_600,
      feeRecipient: at.feeRecipient,
      risk: { accept_risks: [], shield: false, policies: [] },
      nonce: `0x${random.bytes(32).toString('hex')}`,
      marks,
    })
    const binding: SessionBinding = { ...made, ...change }
    return signGrant(binding, { walletKey, signer: key ?? walletKey, curves })
  }

  function signGrant(
    binding: SessionBinding,
    {
      walletKey,
      signer: key,
      curves,
      on = place,
    }: { walletKey: Hex; signer: Hex; curves: Address[]; on?: DelegationAddresses },
  ): Granted {
    const { max_trade_micro_usd, max_day_micro_usd } = binding.limits
    const request = {
      binding,
      bindingHash: bindingHash(crypto.keccakText, binding),
      eth: binding.tokens.includes(NATIVE)
        ? { tradeWei: weiOf(max_trade_micro_usd), dayWei: weiOf(max_day_micro_usd) }
        : null,
      nowS: Math.floor(Date.now() / 1000),
      // A new wallet never ended its sessions.
      ...(boundControls(binding) && { nonce: 0n }),
    }
    const sign = (delegation: Delegation) => signDelegation(crypto, on, delegation, key)
    const root = sign(sessionRoot(on, request))
    const pair = curves.length > 0 ? curveRoots(on, { ...request, curves, launchpads: ['pit'] }) : null
    return {
      binding,
      request,
      root,
      rootHash: delegationHash(crypto, root),
      curveRoots: pair ? [sign(pair.curve), sign(pair.fee)] : [],
      walletKey,
    }
  }

  const sessionIdOf = ({ binding }: Pick<Granted, 'binding'>): string => `s-${binding.nonce.slice(2, 18)}`
  const register = ({ binding, root, curveRoots: pair }: Granted, client = signer.client) =>
    client.registerRoot({ session_id: sessionIdOf({ binding }), binding, root, curve_roots: pair })

  return {
    crypto,
    random,
    devnet,
    get signer() {
      return signer
    },
    killSigner: () => signer.kill(),
    async restartSigner() {
      await signer.stop()
      signer = await start()
    },
    folder,
    profile,
    place,
    cosigner,
    executor,
    executorKey,
    at,
    tokens,
    junk,
    curve,
    marks,
    keyOf,
    weiOf,
    maxFeeWei: 2n * BigInt(baseFeePerGas),
    grant,
    signGrant,
    register,
    sessionIdOf,
    async close() {
      await signer.stop()
      await devnet.stop()
      removeFolder(folder)
    },
  }
}

/** A token without a feed, at the price of its only pool, a v2 pair with USDG. */
async function findJunk(devnet: DevnetProcess, profile: ChainProfile) {
  type Row = { address: Address; venues: string[]; pairs: string[]; depth_usd: number }
  const { long_tail } = await devnet.rpc<{ long_tail: Row[] }>('devnet_info')
  const row = long_tail.find(
    ({ venues, pairs, depth_usd }) => `${venues} ${pairs}` === 'v2 USDG' && depth_usd > 2_000,
  )
  const junk = lower(row!.address)
  const usdg = lower(profile.core_tokens.find(({ symbol }) => symbol === 'USDG')!.address)
  const call = (to: string, data: string) => devnet.rpc<Hex>('eth_call', [{ to, data }, 'latest'])
  const word = (address: Address) => address.slice(2).padStart(64, '0')
  const pair = await call(profile.contracts.v2_factory!, `0xe6a43905${word(junk)}${word(usdg)}`)
  const reserves = await call(`0x${pair.slice(26)}`, '0x0902f1ac')
  const [zero, one] = [0, 1].map((i) => BigInt(`0x${reserves.slice(2 + 64 * i, 66 + 64 * i)}`))
  const [tokens, dollars] = junk < usdg ? [zero!, one!] : [one!, zero!]
  return { junk, junkPriceE18: (dollars * 10n ** 30n) / tokens }
}

/** Tokens with a feed, at their feed's price. */
async function readTokens(devnet: DevnetProcess, profile: ChainProfile): Promise<Map<Address, Token>> {
  const tokens = new Map<Address, Token>()
  const read = async (feed: string): Promise<bigint> => {
    const data = await devnet.rpc<Hex>('eth_call', [{ to: feed, data: '0xfeaf968c' }, 'latest'])
    return BigInt(`0x${data.slice(66, 130)}`) * 10n ** 10n
  }
  for (const [rank, { symbol, address, decimals, feed }] of profile.core_tokens.entries()) {
    if (symbol === 'PARTNER') continue
    const priceE18 = feed && symbol !== 'USDG' ? await read(feed.address) : E18
    tokens.set(lower(address), { address: lower(address), decimals, priceE18, rank, isMajor: true })
  }
  for (const { address, decimals, feed } of profile.listed_stocks.filter((stock) => stock.feed).slice(0, 2)) {
    const priceE18 = await read(feed!.address)
    tokens.set(lower(address), { address: lower(address), decimals, priceE18, rank: null, isMajor: true })
  }
  return tokens
}

export type { Random, SignerProcess }
