// The stages of a build that runs beside a start. Each has a file with the builder's process id until it is done.
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** `parts`: what server and signer start from. `commands`: what people start. */
const STAGES = ['parts', 'commands']
const LOOK_EVERY_MS = 50
/** No build takes this long: an older file's process id belongs to another process. */
const MAX_BUILD_MS = 600_000

const fileOf = (stage, folder) => `${folder}/.building-${stage}`

export function claimStages(pid, folder = 'dist') {
  for (const stage of STAGES) writeFileSync(fileOf(stage, folder), `${pid}`)
}

export function endStage(stage, folder = 'dist') {
  rmSync(fileOf(stage, folder), { force: true })
}

/** Waits for a stage of a running build; false if the build ended without it. */
export async function stageEnded(stage, folder) {
  const file = fileOf(stage, folder)
  for (;;) {
    const builder = readClaim(file)
    if (builder === null) return true
    if (!isRunning(builder)) return readClaim(file) === null
    await sleep(LOOK_EVERY_MS)
  }
}

function readClaim(file) {
  try {
    return Date.now() - statSync(file).mtimeMs < MAX_BUILD_MS ? Number(readFileSync(file, 'utf8')) : null
  } catch {
    return null
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
