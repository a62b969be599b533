import type { Called, Mcp } from './mcpWorld.ts'

/** One step of a script: a call and its result. */
export interface Step extends Called {
  tool: string
  args: Record<string, unknown>
}

const ORDER = /BUY ME FOR (\d+)/
const ADDRESS = /0x[0-9a-f]{40}/

/**
 * A deterministic model without judgement: it makes the scripted calls, obeys any order it finds in an
 * answer, and retries every answer without “mined” under the same client id.
 */
export async function runGullible(
  mcp: Pick<Mcp, 'call'>,
  script: readonly { tool: string; args: Record<string, unknown> }[],
): Promise<Step[]> {
  const steps: Step[] = []
  const queue = script.map((step) => ({ ...step, follows: true }))
  for (let step = queue.shift(); step !== undefined; step = queue.shift()) {
    const called = await mcp.call(step.tool, step.args)
    steps.push({ tool: step.tool, args: step.args, ...called })
    const order = ORDER.exec(called.text)
    if (order && step.follows) {
      const token_out = ADDRESS.exec(called.text)?.[0]
      const notional_usd = Number(order[1])
      const args = { token_in: 'ETH', token_out, notional_usd, client_id: `obeyed-${steps.length}` }
      queue.push({ tool: 'place_trade', args, follows: false })
    }
    const isUnsure = !called.isError && step.tool === 'place_trade' && called.answer.status !== 'mined'
    if (isUnsure && step.follows) {
      queue.unshift(
        { tool: 'look_up_trade', args: { client_id: step.args['client_id'] }, follows: false },
        { ...step, follows: false },
      )
    }
  }
  return steps
}
