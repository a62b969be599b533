import type { TradeStage } from '@pit/client'
import type { Terminal } from './terminal.ts'

/** Shows the progress of a trade, one line per stage. */
export function showStages(terminal: Pick<Terminal, 'progress'>, first: string, nowMs = Date.now) {
  let end = terminal.progress(first)
  return {
    onStage(stage: TradeStage): void {
      const text = textOf(stage, nowMs() / 1000)
      if (text === null) return
      end()
      end = terminal.progress(text)
    },
    end: () => end(),
  }
}

function textOf(stage: TradeStage, nowS: number): string | null {
  switch (stage.stage) {
    case 'permitted':
      return 'Permit signed; signing the transaction'
    case 'signed':
      return 'Signed; relaying'
    case 'relayed':
      return 'Relayed; waiting for confirmation'
    case 'following': {
      const leftS = Math.max(0, Math.ceil(stage.untilS - nowS))
      return (
        `The server did not confirm the transaction (${stage.code}). Waiting for its deadline to pass, to be ` +
        `sure it was not sent: up to ${leftS} s`
      )
    }
    default:
      return null
  }
}
