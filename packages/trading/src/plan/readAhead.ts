import type { Address } from '@pit/chain'
import { hasStockRules } from '@pit/market'
import { createCache } from '@pit/platform/cache'
import { fail, isPitError, lower } from '@pit/protocol'
import type { WalletRequest } from '../simulate/index.ts'
import type { TradeParams, TradeQuote, WalletState } from '../types.ts'
import { isEth } from './addresses.ts'
import type { BuildableRoute } from './chooseRoute.ts'
import type { PlannerDeps } from './deps.ts'

type End = WalletRequest['tokenIn']

/** A wallet's state, read before its trade was priced. */
interface Ahead {
  tokenIn: End
  tokenOut: End
  curve: Address | null
  state: WalletState
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/
/** A read that failed after this long is not repeated: the caller has waited long enough. */
const SILENT_AFTER_MS = 3_000

/** Wallets whose last state is cached, so that their next plan can be simulated ahead of the read. */
const MAX_REMEMBERED = 2_000

/** A quote may wait for a screen; an earlier wallet read is then too old. */
const MAX_BLOCKS_APART = 20

/**
 * Reads a wallet while its trade is being priced, which saves a round trip if both tokens are known. A read for
 * other tokens, another curve or an old block is repeated.
 */
export function createWalletReader({
  simulator,
  market,
  tokens,
  profile,
}: Pick<PlannerDeps, 'simulator' | 'market' | 'tokens' | 'profile'>) {
  const coreOf = (text: string) =>
    profile.core_tokens.find(
      ({ symbol, address }) => symbol === text || lower(address) === text.toLowerCase(),
    )

  async function resolveEnd(text: string): Promise<End | undefined> {
    const core = coreOf(text)
    // The registry record of a core asset adds nothing here.
    if (core) return { address: lower(core.address), stock: core.kind === 'stock' }
    const record = ADDRESS.test(text) ? (await tokens.find(lower(text)))?.record : undefined
    if (!record) return undefined
    return {
      address: lower(record.address),
      stock: hasStockRules(record),
    }
  }

  const curveOf = (...ends: End[]): Address | null => {
    const curve = ends.map(({ address }) => market.curveOf(address)).find((one) => one?.version === 'curve')
    return curve?.version === 'curve' && !curve.graduated ? curve.id : null
  }

  const remembered = createCache<string, WalletState>({ max: MAX_REMEMBERED })
  const nameOf = (wallet: Address, tokenIn: End, tokenOut: End): string =>
    `${wallet} ${tokenIn.address} ${tokenOut.address}`

  async function read(request: WalletRequest): Promise<WalletState> {
    const state = await simulator.readWallet(request)
    remembered.set(nameOf(request.wallet, request.tokenIn, request.tokenOut), state)
    return state
  }

  /** Undefined if it cannot be read yet; the quote reports the reason. */
  async function readEarly(
    wallet: Address,
    { tokenIn, tokenOut }: TradeParams,
  ): Promise<Ahead | 'silent' | undefined> {
    const startedAt = performance.now()
    try {
      const ends = await Promise.all([resolveEnd(tokenIn), resolveEnd(tokenOut)])
      const [input, output] = ends
      if (!input || !output || input.address === output.address) return undefined
      const curve = curveOf(input, output)
      const state = await read({ wallet, tokenIn: input, tokenOut: output, curve })
      return { tokenIn: input, tokenOut: output, curve, state }
    } catch (error) {
      const isSilent = isPitError(error) && performance.now() - startedAt > SILENT_AFTER_MS
      return isSilent && error.code === 'RPC_UNAVAILABLE' ? 'silent' : undefined
    }
  }

  return {
    start(wallet: Address, trade: TradeParams) {
      let isRead = false
      const state = readEarly(wallet, trade).finally(() => {
        isRead = true
      })
      return { state, isRead: () => isRead }
    },
    /**
     * The expected wallet state: as last read for the same trade; for a wallet that spends ETH, any state with
     * enough ETH. Undefined if unknown.
     */
    expect(wallet: Address, { tokenIn, tokenOut, block }: TradeQuote): WalletState | undefined {
      const before = remembered.get(nameOf(wallet, tokenIn, tokenOut))
      if (before || !isEth(tokenIn.address) || tokenOut.stock) return before
      return { ...ANYBODY, wallet, block }
    },
    async finish(
      wallet: Address,
      ahead: Ahead | 'silent' | undefined,
      { tokenIn, tokenOut, block }: TradeQuote,
      route: BuildableRoute,
    ): Promise<WalletState> {
      if (ahead === 'silent') return fail('RPC_UNAVAILABLE')
      const curve = route.way.kind === 'curve' ? route.way.curve.id : null
      const fits =
        ahead &&
        isSame(ahead.tokenIn, tokenIn) &&
        isSame(ahead.tokenOut, tokenOut) &&
        (curve === null || curve === ahead.curve) &&
        block - ahead.state.block <= MAX_BLOCKS_APART
      return fits ? ahead.state : read({ wallet, tokenIn, tokenOut, curve })
    },
  }
}

const PLENTY = 1n << 128n
const ANYBODY: Omit<WalletState, 'wallet' | 'block'> = {
  nonce: 0,
  minedNonce: 0,
  balanceWei: PLENTY,
  balanceIn: PLENTY,
  allowance: 0n,
  permit: { amount: 0n, expirationS: 0, nonce: 0 },
  curveAllowance: 0n,
  delegatedTo: null,
  hasOtherCode: false,
  stocks: [],
  blockedParties: [],
}

const isSame = (a: End, b: End): boolean => a.address === b.address && a.stock === b.stock
