import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Entry } from './entries.ts'
import { type Groundwork, type Image, readChecked, writeChecked } from './image.ts'
import { openRecordLog, type RecordLog } from './recordLog.ts'

/**
 * A generation is the disk state of one engine: `state-N` (the accounts), `image-B` (how to bring
 * it to block B) and `wal-B` (entries since). It exists once its wal does; that file is created last.
 */
export interface Generation {
  image: Image
  wal: RecordLog<Entry>
  entries: Entry[]
  cutBytes: number
}

interface ImageFile extends Omit<Image, keyof Groundwork> {
  stateFile: string
}

const walPath = (dir: string, base: number) => join(dir, `wal-${base}.log`)
const imagePath = (dir: string, base: number) => join(dir, `image-${base}.json`)

/** The newest generation on disk, or undefined when there is none. */
export function loadGeneration(dir: string): Generation | undefined {
  const bases = readdirSync(dir).flatMap((name) => /^wal-(\d+)\.log$/.exec(name)?.[1] ?? [])
  if (bases.length === 0) return undefined
  const base = Math.max(...bases.map(Number))
  const image = readImage(dir, base)
  const { log, records, cutBytes } = openRecordLog<Entry>(walPath(dir, base))
  return { image, wal: log, entries: records, cutBytes }
}

function readImage(dir: string, base: number): Image {
  const { stateFile, ...rest } = readChecked<ImageFile>(imagePath(dir, base))
  return { ...readChecked<Groundwork>(join(dir, stateFile)), ...rest }
}

/** The large part, written while blocks continue. Returns the file's name. */
export function writeGround(dir: string, ground: Groundwork): string {
  // Never the name of a file that the running generation uses.
  const name = `state-${randomUUID()}.json`
  writeChecked(join(dir, name), ground)
  return name
}

/** Commits the generation: a restart begins with it from here on. */
export function beginGeneration(dir: string, image: Image, stateFile: string): Generation {
  const { changes, base, settings } = image
  if (existsSync(walPath(dir, base.number)))
    throw new Error(`there is a generation at block ${base.number} already`)
  writeChecked(imagePath(dir, base.number), { stateFile, changes, base, settings })
  const { log } = openRecordLog<Entry>(walPath(dir, base.number))
  return { image, wal: log, entries: [], cutBytes: 0 }
}

/** Removes files of older generations. */
export function sweepGenerations(dir: string, base: number): void {
  if (!existsSync(walPath(dir, base))) return
  const { stateFile } = readChecked<ImageFile>(imagePath(dir, base))
  const current = new Set([stateFile, `image-${base}.json`, `wal-${base}.log`])
  for (const name of readdirSync(dir)) {
    if (/^(wal|image|state)-/.test(name) && !current.has(name)) rmSync(join(dir, name), { force: true })
  }
}
