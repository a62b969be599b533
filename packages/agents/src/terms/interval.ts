import { type Brain, fail, HOSTED } from '@pit/protocol'

/** Models are asked every five minutes at most; the range of all others is the schema's. */
export function checkInterval(brain: Brain, intervalS: number): void {
  if (brain !== 'partner_llm' || intervalS >= HOSTED.aiMinIntervalS) return
  fail('BAD_REQUEST', {
    field: 'interval_s',
    message: `\`interval_s\`: an AI agent ticks every ${HOSTED.aiMinIntervalS} seconds at most.`,
  })
}
