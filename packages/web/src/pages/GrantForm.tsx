import type { PitClient } from '@pit/client'
import { CORE_SYMBOLS, SESSION } from '@pit/protocol'
import {
  Card,
  CheckField,
  Code,
  count,
  duration,
  Loaded,
  Notice,
  SliderField,
  TextField,
  wholeUsd,
} from '@pit/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useAccount } from '../data/account.ts'
import {
  type ControlsText,
  controlsFault,
  controlsFlags,
  controlsRequest,
  NO_CONTROLS,
} from '../data/controls.ts'
import { openClient } from '../wallet/connect.ts'
import { ControlsFields } from './ControlsFields.tsx'
import { SignSession } from './SignSession.tsx'
import { TradingWalletOffer } from './TradingWalletOffer.tsx'

type GrantParams = Parameters<PitClient['grantSession']>[0]

const HOURS = [1, 4, 12, 24, 72, 168, 336, 720] as const
const isAddress = (text: string): boolean => /^0x[0-9a-fA-F]{40}$/.test(text)

/** Form for a session's limits, with a review before signing. */
export function GrantForm({ executor: given, onGranted }: { executor: string; onGranted(): void }) {
  const signedIn = useAccount()
  const opened = useQuery({ queryKey: ['client', signedIn?.keyId], queryFn: openClient })
  const [executor, setExecutor] = useState(given)
  const [tokens, setTokens] = useState<readonly string[]>(['ETH', 'USDG'])
  const [maxTrade, setMaxTrade] = useState<number>(SESSION.maxTradeUsdDefault)
  const [days, setDays] = useState(4)
  const [trades, setTrades] = useState<number>(SESSION.maxTradesDefault)
  const [hours, setHours] = useState(3)
  const [typed, setTyped] = useState<ControlsText>(NO_CONTROLS)
  const controls = controlsRequest(typed)
  const request = {
    executor: executor.toLowerCase() as `0x${string}`,
    tokens: [...tokens],
    max_trade_usd: maxTrade,
    max_day_usd: maxTrade * days,
    max_trades: trades,
    expires_in_s: HOURS[hours]! * 3_600,
    ...(controls && { controls }),
  } satisfies GrantParams
  const fault = controlsFault(typed)
  const isReady = isAddress(executor) && tokens.length >= SESSION.minTokens && fault === null
  return (
    <Loaded of={opened}>
      {({ hands }) => (
        <div className="grid wide-first">
          <Card title="Limits">
            <TextField
              label="Executor"
              value={executor}
              onChange={setExecutor}
              placeholder="0x…"
              hint="Address that may trade: your program’s or a hosted agent’s."
              fault={executor === '' || isAddress(executor) ? undefined : 'Must be 0x and 40 hex digits.'}
            />
            <fieldset className="field">
              <legend className="label">Tokens it may trade</legend>
              <div className="row">
                {CORE_SYMBOLS.map((symbol) => (
                  <CheckField
                    key={symbol}
                    label={symbol}
                    checked={tokens.includes(symbol)}
                    onChange={(isIn) =>
                      setTokens(isIn ? [...tokens, symbol] : tokens.filter((one) => one !== symbol))
                    }
                  />
                ))}
              </div>
            </fieldset>
            <SliderField
              label="Maximum per trade"
              value={maxTrade}
              min={5}
              max={SESSION.maxTradeUsdMax}
              step={5}
              shown={wholeUsd(maxTrade)}
              onChange={setMaxTrade}
            />
            <SliderField
              label="Maximum in 24 hours"
              value={days}
              min={1}
              max={SESSION.maxDayMultipleOfMaxTrade}
              step={1}
              shown={`${wholeUsd(maxTrade * days)} (${days} × the maximum per trade)`}
              onChange={setDays}
            />
            <SliderField
              label="Maximum number of trades"
              value={trades}
              min={SESSION.maxTradesMin}
              max={500}
              step={1}
              shown={count(trades)}
              onChange={setTrades}
            />
            <SliderField
              label="Lasts"
              value={hours}
              min={0}
              max={HOURS.length - 1}
              step={1}
              shown={duration(HOURS[hours]! * 3_600)}
              onChange={setHours}
              hint="Shorter is safer."
            />
            <ControlsFields value={typed} onChange={setTyped} />
          </Card>
          {hands.grantsSessions ? (
            <SignSession
              isReady={isReady}
              missing={fault ?? 'Enter an executor and choose at least two tokens.'}
              grant={async (options) => (await openClient()).client.grantSession(request, options)}
              onGranted={onGranted}
            />
          ) : (
            <ByCommand request={request} isReady={isReady} flags={controlsFlags(typed)} />
          )}
        </div>
      )}
    </Loaded>
  )
}

/** Explains in advance that browser wallets cannot grant sessions, and shows the command that can. */
function ByCommand(props: {
  request: GrantParams & { tokens: string[] }
  isReady: boolean
  /** Of the controls. */
  flags: string
}) {
  const { request, isReady, flags } = props
  const hours = Math.round((request.expires_in_s ?? 86_400) / 3_600)
  const command = [
    `pit session grant ${isReady ? request.executor : '<executor>'}`,
    `--tokens ${request.tokens.join(' ')}`,
    `--max-trade-usd ${request.max_trade_usd} --max-day-usd ${request.max_day_usd}`,
    `--max-trades ${request.max_trades} --for ${hours}h --allow-7702`,
    ...(flags === '' ? [] : [flags]),
  ].join(' \\\n  ')
  return (
    <Card title="Your wallet cannot grant sessions from a web page">
      <Notice tone="warn" title="Nothing was signed.">
        Browser wallets do not let a page sign a delegation of your own account or an EIP-7702 authorization.
        A session needs both.
      </Notice>
      <p>Grant the same session on the command line, with a key stored there:</p>
      <Code text={command} label="Contains no secrets." />
      <TradingWalletOffer />
    </Card>
  )
}
