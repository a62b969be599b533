import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '@pit/platform/clock'
import { readOwnFile } from '@pit/platform/ownFiles'
import { createSignerClient } from '@pit/platform/signerClient'
import { withinMs } from '@pit/platform/withinMs'
import { type Operator, OperatorRefused } from '@pit/server/operator'

/** A freeze waits no longer than this to be written down: a server may hang just then. */
const NOTE_BOUND_MS = 3_000

/** Where the signer is and what opens it to its operator. */
export interface SignerAccess {
  url: string
  secret: string
}

/** From the settings, or from where `npm start` keeps the devnet's. */
export function signerAccessOf(env: Record<string, string | undefined>): SignerAccess {
  const url = env['SIGNER_URL'] || `http://127.0.0.1:${env['SIGNER_PORT'] || '4664'}`
  const given = env['SIGNER_OPERATOR_SECRET']?.trim()
  if (given) return { url, secret: given }
  const made = join(env['DATA_DIR'] || '.pit', 'signer', 'operator-secret')
  const file = env['SIGNER_OPERATOR_SECRET_FILE'] || (existsSync(made) ? made : null)
  if (file === null) {
    throw new OperatorRefused(
      'the operator’s secret of the signer is missing: set SIGNER_OPERATOR_SECRET_FILE',
    )
  }
  try {
    return { url, secret: readOwnFile('SIGNER_OPERATOR_SECRET_FILE', file) }
  } catch (error) {
    throw new OperatorRefused((error as Error).message)
  }
}

/**
 * Freezes or thaws, noted before and after. The signer is another process with another key, so the note
 * cannot be part of it: a freeze goes ahead even when nothing can be noted, a thaw does not.
 */
export async function freezeSigner(
  {
    operator,
    access,
    clock,
    warn,
    noteBoundMs = NOTE_BOUND_MS,
  }: {
    operator: Operator
    access: SignerAccess
    clock: Clock
    warn(line: string): void
    noteBoundMs?: number
  },
  ask: { frozen: boolean; operator: string; reason: string },
): Promise<{ frozen: boolean }> {
  const action = ask.frozen ? 'signer.freeze' : 'signer.thaw'
  const note = (phase: 'asked' | 'done' | 'failed', why: string | null = null) => {
    const input = { action, phase, why }
    const noted = operator.act({ name: 'note', operator: ask.operator, reason: ask.reason, input })
    if (!ask.frozen) return noted
    return withinMs(noteBoundMs, noted, () => new Error(`no answer within ${noteBoundMs} ms`))
  }
  const unlessFrozen = (error: unknown) => {
    if (!ask.frozen) throw error
    warn(`this could not be written down: ${(error as Error).message}`)
  }
  await note('asked').catch(unlessFrozen)
  const client = createSignerClient({ ...access, clock })
  try {
    const answer = await client.freeze(ask.frozen)
    await note('done').catch((error) => warn(`done, but not written down: ${(error as Error).message}`))
    return answer
  } catch (error) {
    const why = (error as Error).message.slice(0, 500)
    await note('failed', why).catch(() => {})
    throw new OperatorRefused(`the signer did not: ${why}`)
  } finally {
    client.close()
  }
}
