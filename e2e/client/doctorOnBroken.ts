import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { examine } from '@pit/doctor'
import { createRpc, type Rpc } from '@pit/platform/rpc'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { examineChain } from '../../packages/server/src/service/examineChain.ts'
import { startServerProcess } from '../serverProcess.ts'
import type { SessionWorld } from '../session/world.ts'
import { tradingEnv } from '../trading/world.ts'
import { answering, BROKEN } from './brokenProfiles.ts'
import type { Pit } from './runPit.ts'

/** Each fault has its own finding; a fault that could lose money keeps the server from starting. */
export function doctorOnBroken(getWorld: () => { world: SessionWorld; pit: Pit }): void {
  describe('doctor on broken profiles', () => {
    const HOUR_S = 3_600
    let rpc: Rpc
    beforeAll(() => {
      rpc = createRpc({ url: getWorld().world.devnet.url })
    })
    afterAll(() => rpc.close())

    it.each(BROKEN)('$name', async (broken) => {
      const profile = structuredClone(getWorld().world.profile)
      broken.break(profile)
      const takenAtS = Date.now() / 1000 - (broken.listAgeH ?? 0) * HOUR_S
      const deps = {
        ...{ profile, rpc: answering(rpc, broken.answers), wsUrl: null, sequencer: null, nowMs: Date.now },
        sanctions: { addresses: 1, takenAtS, maxAgeS: 168 * HOUR_S },
        country: broken.country ?? null,
      }
      const named = (await examine(deps)).filter(({ check }) => check === broken.finds)
      expect(named).toMatchObject([
        { verdict: broken.refused ? 'fail' : 'warn', remedy: expect.stringMatching(/\w/) },
      ])
      const warned: unknown[] = []
      const logger = { warn: (line: unknown) => warned.push(line), info() {}, error() {} } as never
      const starting = examineChain({ ...deps, logger }).settled()
      if (broken.refused) await expect(starting).rejects.toThrow(`${broken.finds}: `)
      else {
        await starting
        expect(warned).toContainEqual(expect.objectContaining({ check: broken.finds }))
      }
    })

    it('a server does not start on a broken profile, and reports the fault', async () => {
      const profile = structuredClone(getWorld().world.profile)
      BROKEN[0]!.break(profile)
      const file = join(getWorld().pit.folder, 'broken.json')
      writeFileSync(file, JSON.stringify(profile), { mode: 0o600 })
      const starting = startServerProcess({ ...tradingEnv(getWorld().world.devnet), PROFILE: file })
      await expect(starting).rejects.toThrow(/token USDG decimals: 6, the profile says 18/)
      const report = await getWorld().pit([
        'doctor',
        '--chain',
        file,
        '--rpc-url',
        getWorld().world.devnet.url,
        '--json',
      ])
      const failed = report.json().checks.filter(({ verdict }: { verdict: string }) => verdict === 'fail')
      expect(failed.map(({ check }: { check: string }) => check)).toEqual(['token USDG decimals'])
      expect(report.code).toBe(1)
    })

    it('reports an unreachable node without a stack trace', async () => {
      const away = await getWorld().pit([
        'doctor',
        '--chain',
        'profiles/mainnet.json',
        '--rpc-url',
        'http://127.0.0.1:9',
      ])
      expect(away.code).toBe(3)
      expect(away.stdout).toMatch(/node +unknown +no answer from the node/)
      expect(away.stdout).toMatch(/country source +warn +none: the server will not start .*GEO=none/)
      expect(away.stdout + away.stderr).not.toMatch(/\n\s+at /)
    })
  })
}
