import type { Answer } from '@pit/protocol'
import { clock, Notice, ServerText } from '@pit/ui'
import { holdWords } from '../data/holds.ts'

type AgentDetail = Answer<'hosted.get'>
interface Blocked {
  code: string
  causes: string[]
}

/** Reasons that keep the agent from trading now, with their cures. */
export function AgentBlocked({ agent: { watch, next_tick_holds, status } }: { agent: AgentDetail }) {
  const now = grouped(watch?.holds ?? [])
  const isNamed = (code: string) => now.some((one) => one.code === code)
  const next = grouped(next_tick_holds ?? []).filter(({ code }) => !isNamed(code))
  if (status === 'stopped') return null
  return (
    <>
      {now.map((hold) => (
        <HoldNotice key={hold.code} hold={hold} lead="Blocked" />
      ))}
      {next.map((hold) => (
        <HoldNotice key={hold.code} hold={hold} lead="Next decision" />
      ))}
      {watch?.soon.map(({ code, message, at }) => (
        <Notice key={code} title={`Soon: ${holdWords(code).title.toLowerCase()} (${clock(at)})`}>
          <ServerText text={message} />
        </Notice>
      ))}
    </>
  )
}

/** One notice for each code; the server repeats a hold for each pair and side. */
function grouped(
  holds: readonly { code: string; message: string; pair?: string; side?: 'buy' | 'sell' }[],
): Blocked[] {
  const byCode = new Map<string, string[]>()
  for (const { code, message, pair, side } of holds) {
    const where = [side && (side === 'buy' ? 'Buying' : 'Selling'), pair].filter(Boolean).join(' ')
    byCode.set(code, [...(byCode.get(code) ?? []), where === '' ? message : `${where}: ${message}`])
  }
  return [...byCode].map(([code, causes]) => ({ code, causes }))
}

function HoldNotice({ hold: { code, causes }, lead }: { hold: Blocked; lead: string }) {
  const { title, cure, isAllSaid } = holdWords(code)
  return (
    <Notice tone="warn" title={`${lead}: ${title}`}>
      {(isAllSaid ? [] : causes).map((cause) => (
        <p key={cause}>
          <ServerText text={cause} />
        </p>
      ))}
      {cure && <p className="faint">{cure}</p>}
    </Notice>
  )
}
