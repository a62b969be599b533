import { execFile } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { lookAt } from '../browser.ts'
import { changeAnswer, type Dashboard, open, WAIT } from './shown.ts'

export function theRecord(dashboard: () => Dashboard): void {
  describe('the record', () => {
    it('is verified row by row in the browser', async () => {
      await closeWeek(dashboard())
      const { page } = dashboard().owner
      await open(page, '/treasury')
      await page.getByText('1 row verified').waitFor(WAIT)
      await page.getByText('Valid', { exact: true }).waitFor()
      expect(await lookAt(page, 'treasuryRecorded')).toEqual([])
    })

    it('is shown as broken when one row was changed', async () => {
      const { page } = dashboard().visitor
      await page.route('**/api/v1/treasury', (route) =>
        changeAnswer(route, ({ weeks }: { weeks: { seq: number | null; week: { label: string } }[] }) => {
          weeks.find(({ seq }) => seq === 1)!.week.label = '2026-W01'
        }),
      )
      await open(page, '/treasury')
      await page.getByText('The record is not valid').waitFor(WAIT)
      await page.getByText(/Row 1 is broken/).waitFor()
      await page.unroute('**/api/v1/treasury')
    })
  })
}

/** Ends the running week now, as an operator can on a devnet. */
function closeWeek({ dataDir, world }: Dashboard): Promise<void> {
  const env = {
    PATH: process.env['PATH'],
    DATA_DIR: dataDir,
    PROFILE: world.devnet.profileFile,
    CHAIN_RPC_URL: world.devnet.url,
    SIGNER_URL: world.signer.url,
    SIGNER_OPERATOR_SECRET: world.signer.operatorSecret,
  }
  const args = ['dist/pitAdmin.js', '--operator', 'ada', 'week', 'close', '--early']
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { env, timeout: 120_000 }, (error, _, err) =>
      error ? reject(new Error(err)) : resolve(),
    )
  })
}
