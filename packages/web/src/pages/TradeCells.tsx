import { ago, Badge, dateTime, ServerFigure, words } from '@pit/ui'
import type { ReactNode } from 'react'
import { useAccount } from '../data/account.ts'
import { useOwnTransactions, usePinned, useTokenFacts } from '../data/own.ts'
import { type OwnTrade, ownTradeOf, tokensIn } from '../data/ownTrade.ts'
import { amountOf, labelOf } from '../data/tokens.ts'
import { SIDES, sideOf, type TradeRow, usdgOf } from '../data/tradeFilter.ts'

const TONES = { mined: 'up', pending: 'accent', reverted: 'down', dropped: 'warn', refused: 'warn' } as const

export interface TradeCells {
  pair(row: TradeRow): ReactNode
  side(row: TradeRow): ReactNode
  sold(row: TradeRow): ReactNode
  received(row: TradeRow): ReactNode
  state(row: TradeRow): ReactNode
  when(row: TradeRow): ReactNode
}

/** Cells of listed trades: the verifying node's figures; the server's, marked as such, while it has none. */
export function useTradeCells(rows: readonly TradeRow[]): TradeCells {
  const signedIn = useAccount()
  const readings = useOwnTransactions(rows.flatMap(({ tx_hash }) => tx_hash ?? []))
  const facts = useTokenFacts([
    ...rows.flatMap(({ token_in, token_out }) => [token_in.address, token_out.address]),
    ...[...readings.values()].flatMap((reading) => (reading ? tokensIn(reading) : [])),
  ])
  const usdg = usdgOf(usePinned())
  const ownOf = ({ tx_hash }: TradeRow): OwnTrade | null => {
    const reading = tx_hash && readings.get(tx_hash)
    return reading ? ownTradeOf(reading, signedIn?.address ?? '', facts) : null
  }
  const served = (atoms: string | null, token: string, kind?: string | null): ReactNode =>
    atoms === null ? (
      '–'
    ) : (
      <ServerFigure>{`${kind === 'minimum' ? 'at least ' : ''}${amountOf(facts, atoms, token)}`}</ServerFigure>
    )
  return {
    when({ tx_hash, time }) {
      const minedS = (tx_hash && readings.get(tx_hash)?.mined?.timeS) || null
      const text = <span title={dateTime(minedS ?? time)}>{ago(minedS ?? time)}</span>
      return minedS === null ? <ServerFigure>{text}</ServerFigure> : text
    },
    pair: (row) =>
      ownOf(row)?.pair ?? (
        <ServerFigure>
          {`${labelOf(facts, row.token_in.address)} → ${labelOf(facts, row.token_out.address)}`}
        </ServerFigure>
      ),
    side(row) {
      const { tokenIn = null, tokenOut = null } = ownOf(row) ?? {}
      if (tokenIn === null || tokenOut === null)
        return <ServerFigure>{SIDES[sideOf(row, usdg)]}</ServerFigure>
      return SIDES[sideOf({ token_in: { address: tokenIn }, token_out: { address: tokenOut } }, usdg)]
    },
    sold: (row) => ownOf(row)?.sold ?? served(row.amount_in, row.token_in.address),
    received: (row) =>
      ownOf(row)?.received ?? served(row.amount_out, row.token_out.address, row.amount_out_kind),
    state(row) {
      const { status, code, tx_hash } = row
      const isReverted = ownOf(row)?.isReverted ?? null
      if (isReverted !== null)
        return <Badge tone={isReverted ? 'down' : 'up'}>{isReverted ? 'Reverted' : 'Mined'}</Badge>
      const reading = tx_hash === null ? undefined : readings.get(tx_hash)
      if (reading !== undefined && status === 'mined')
        return <Badge tone="warn">{reading === null ? 'Unknown to your node' : 'Not your trade'}</Badge>
      return (
        <ServerFigure>
          <Badge tone={TONES[status]}>{words(code ?? status)}</Badge>
        </ServerFigure>
      )
    },
  }
}
