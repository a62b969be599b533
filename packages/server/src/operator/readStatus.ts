import { readSwitches, SWITCHES, standing } from '@pit/sessions'
import type { OperatorDeps } from './types.ts'

/** How everything an operator can change stands now. */
export async function readStatus({ db, profile, signer, treasury }: OperatorDeps) {
  const rows = await readSwitches(db)
  const switches = Object.fromEntries(
    SWITCHES.map((name) => {
      const row = rows.find((each) => each.name === name)
      return [
        name,
        { on: standing(rows, name), reason: row?.reason ?? null, changed_at: row?.changedAtS ?? null },
      ]
    }),
  )
  return {
    profile: profile.name,
    kind: profile.kind,
    store: db.engine,
    switches,
    signer: signer === null ? null : await signerHealth(signer),
    treasury: await treasury.state(),
  }
}

async function signerHealth(signer: NonNullable<OperatorDeps['signer']>) {
  try {
    const { status, cosigner, frozen } = await signer.health()
    return { status, cosigner, frozen }
  } catch (error) {
    return { status: 'unreachable', why: (error as Error).message }
  }
}
