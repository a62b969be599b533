import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { claimStages, endStage, stageEnded } from './buildStages.mjs'

const emptyFolder = () => mkdtempSync(join(tmpdir(), 'build-stages-'))

/** A process id that no process has any more. */
async function endedPid(): Promise<number> {
  const child = spawn(process.execPath, ['--version'])
  await once(child, 'exit')
  return child.pid as number
}

it('waits for a stage of a running build, and for each one alone', async () => {
  const folder = emptyFolder()
  claimStages(process.pid, folder)
  let isPartsDone = false
  const parts = stageEnded('parts', folder).then((isBuilt) => {
    isPartsDone = true
    return isBuilt
  })
  await new Promise((resolve) => setTimeout(resolve, 120))
  expect(isPartsDone).toBe(false)
  endStage('parts', folder)
  expect(await parts).toBe(true)
  expect(readdirSync(folder)).toEqual(['.building-commands'])
})

it('reports a build that ended in the middle', async () => {
  const folder = emptyFolder()
  claimStages(await endedPid(), folder)
  expect(await stageEnded('parts', folder)).toBe(false)
})

it('needs no build, and ignores a claim that is too old to be one', async () => {
  const folder = emptyFolder()
  expect(await stageEnded('commands', folder)).toBe(true)
  const claim = join(folder, '.building-commands')
  writeFileSync(claim, `${process.pid}`)
  const longAgo = new Date(Date.now() - 3_600_000)
  utimesSync(claim, longAgo, longAgo)
  expect(await stageEnded('commands', folder)).toBe(true)
})
