import type { Address } from '@pit/chain'
import { type CoreSymbol, fail, isPitError } from '@pit/protocol'
import type { TradeAsk, TradeQuote, TradeToken, WalletState } from '../types.ts'
import type { BuildableRoute } from './chooseRoute.ts'
import type { PlannerDeps } from './deps.ts'
import { lower } from './place.ts'

/** A wallet's state, read before its trade was priced. */
interface Ahead {
  tokenIn: TradeToken
  tokenOut: TradeToken
  curve: Address | null
  state: WalletState
}

/** After so long without an answer the node is not asked again: whoever waits has waited long enough. */
const SILENT_AFTER_MS = 3_000

/** A quote may wait for a screen; what was read of the wallet before is then too old. */
const MAX_BLOCKS_APART = 20

/**
 * Reads a wallet while its trade is being priced, which saves a round trip where both tokens are known. What was read
 * for other tokens, another curve or long ago is read again.
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

  async function known(text: string): Promise<TradeToken | undefined> {
    const core = coreOf(text)
    if (!core && !/^0x[0-9a-fA-F]{40}$/.test(text)) return undefined
    const record = core ? tokens.coreBySymbol(core.symbol) : (await tokens.find(lower(text)))?.record
    if (!record) return undefined
    return {
      address: lower(record.address),
      symbol: core?.symbol ?? record.symbol,
      decimals: core?.decimals ?? record.decimals,
      core: (core?.symbol ?? null) as CoreSymbol | null,
      stock: core?.kind === 'stock' || record.kind === 'stock' || record.stock_beacon === true,
      record,
      mark: undefined,
    }
  }

  const curveOf = (...ends: TradeToken[]): Address | null => {
    const curve = ends.map(({ address }) => market.curveOf(address)).find((one) => one?.version === 'curve')
    return curve?.version === 'curve' && !curve.graduated ? curve.id : null
  }

  return {
    /** Undefined when it cannot be read yet; why is the quote's to say. */
    async start(wallet: Address, { tokenIn, tokenOut }: TradeAsk): Promise<Ahead | 'silent' | undefined> {
      const startedAt = performance.now()
      try {
        const ends = await Promise.all([known(tokenIn), known(tokenOut)])
        const [input, output] = ends
        if (!input || !output || input.address === output.address) return undefined
        const curve = curveOf(input, output)
        const state = await simulator.readWallet({ wallet, tokenIn: input, tokenOut: output, curve })
        return { tokenIn: input, tokenOut: output, curve, state }
      } catch (error) {
        const isSilent = isPitError(error) && performance.now() - startedAt > SILENT_AFTER_MS
        return isSilent && error.code === 'RPC_UNAVAILABLE' ? 'silent' : undefined
      }
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
      return fits ? ahead.state : simulator.readWallet({ wallet, tokenIn, tokenOut, curve })
    },
  }
}

const isSame = (a: TradeToken, b: TradeToken): boolean => a.address === b.address && a.stock === b.stock
