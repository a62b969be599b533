import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Timer, withinMs } from '@pit/platform/clock'
import { readSecretText, secretSetting } from '@pit/platform/settings'
import { type Operator, OperatorRefused } from '@pit/server/operator'
import {
  createSignerClient,
  type LostByRestore,
  readSignerWay,
  type SignerClient,
  signerWayOf,
  type TlsIdentity,
} from '@pit/signer-wire'

/** Maximum wait for the audit note of a freeze: the server may hang at that moment. */
const NOTE_BOUND_MS = 3_000

/** Address of the signer and the operator's secret. */
export interface SignerAccess {
  url: string
  tls: TlsIdentity | null
  secret: string
}

/** From the settings; the default secret file is the one that `npm start` writes for the devnet. */
export function signerAccessOf(env: Record<string, string | undefined>): SignerAccess {
  const url = env['SIGNER_URL'] || `http://127.0.0.1:${env['SIGNER_PORT'] || '4664'}`
  const defaultFile = join(env['DATA_DIR'] || '.pit', 'signer', 'operator-secret')
  try {
    const configured = secretSetting(env, 'SIGNER_OPERATOR_SECRET')
    const generated = { name: 'SIGNER_OPERATOR_SECRET_FILE', file: defaultFile, isCredential: false }
    const setting = configured ?? (existsSync(defaultFile) ? generated : null)
    if (setting === null) {
      throw new OperatorRefused('The signer’s operator secret is missing. Set SIGNER_OPERATOR_SECRET_FILE.')
    }
    return { ...readSignerWay(signerWayOf(env, url)), secret: readSecretText(setting) }
  } catch (error) {
    throw new OperatorRefused((error as Error).message)
  }
}

interface TellDeps {
  operator: Operator
  access: SignerAccess
  clock: Timer
  warn(line: string): void
  noteBoundMs?: number
}

/** A freeze proceeds even if the audit note fails; a thaw does not. */
export const freezeSigner = (
  deps: TellDeps,
  { frozen, ...who }: { frozen: boolean; operator: string; reason: string },
): Promise<{ frozen: boolean }> =>
  tellSigner(deps, {
    ...who,
    action: frozen ? 'signer.freeze' : 'signer.thaw',
    unnoted: frozen ? 'goes ahead' : 'is not done',
    tell: (client) => client.freeze(frozen),
  })

/** Accepts a ledger that was restored from a backup. */
export const acceptLedger = (
  deps: TellDeps,
  { lost, ...who }: { lost: LostByRestore; operator: string; reason: string },
): Promise<{ accepted: true; sessions_ended: number }> =>
  tellSigner(deps, {
    ...who,
    action: 'signer.restored',
    unnoted: 'is not done',
    tell: (client) => client.acceptLedger(lost),
  })

/**
 * Calls the signer, with an audit note before and after. The signer is a separate process, so note and call
 * cannot be one transaction.
 */
async function tellSigner<T>(
  { operator, access, clock, warn, noteBoundMs = NOTE_BOUND_MS }: TellDeps,
  request: {
    operator: string
    reason: string
    action: string
    unnoted: 'goes ahead' | 'is not done'
    tell(client: SignerClient): Promise<T>
  },
): Promise<T> {
  const goesAhead = request.unnoted === 'goes ahead'
  const note = (phase: 'asked' | 'done' | 'failed', why: string | null = null) => {
    const input = { action: request.action, phase, why }
    const noted = operator.act({ name: 'note', operator: request.operator, reason: request.reason, input })
    if (!goesAhead) return noted
    return withinMs(noteBoundMs, noted, () => new Error(`no response within ${noteBoundMs} ms`))
  }
  await note('asked').catch((error) => {
    if (!goesAhead) throw error
    warn(`Could not record this action: ${(error as Error).message}`)
  })
  const client = createSignerClient({ ...access, clock })
  try {
    const answer = await request.tell(client)
    await note('done').catch((error) => warn(`Done, but could not be recorded: ${(error as Error).message}`))
    return answer
  } catch (error) {
    const why = (error as Error).message.slice(0, 500)
    await note('failed', why).catch(() => {})
    throw new OperatorRefused(`The signer refused: ${why}`)
  } finally {
    client.close()
  }
}
