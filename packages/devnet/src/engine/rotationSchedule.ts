import { growthOf } from './growth.ts'
import type { BlockJson, ChainStats, Hex, Log } from './types.ts'

/** Estimates the growth of the running engine, and replaces it when it is too large. */
export interface RotationSchedule {
  addBlock(block: BlockJson): void
  startIfDue(): void
  /** Blocks have to wait for the running rotation, to bound memory. */
  isOverdue(): boolean
  /** Resolves at the end of the running rotation. */
  ended(): Promise<void>
  /** From now on blocks are mined by the clock. */
  startClock(): void
  /** Enough blocks were mined that a start would be faster from an image. */
  isImageDue(): boolean
  stats(): Pick<ChainStats, 'rotations' | 'rotationFailures' | 'rotationPauseMs'>
  /** Resolves at the end of the running rotation; its failure is not reported. */
  close(): Promise<void>
}

interface RotationScheduleInput {
  /** Growth of the engine by the blocks replayed at the start. */
  grownKb: number
  rotateAtKb: number
  /** Calls `onSwitch` when the new engine is in service. */
  rotate(onSwitch: () => void): Promise<{ pauseMs: number }>
  log: Log
}

/** Before the clock ticks, blocks are mined by hand to deploy a world quickly: optional work waits. */
const UNTICKED_FACTOR = 6
/** Blocks wait for an engine's successor once it has grown to this many times its limit. */
const WAIT_AT = 3
/** A stop writes an image if a start would otherwise replay this share of a rotation. */
const LEAVE_IMAGE_AT = 0.1

export function createRotationSchedule(input: RotationScheduleInput): RotationSchedule {
  const { rotateAtKb, rotate, log } = input
  const stats = { rotations: 0, rotationFailures: 0, rotationPauseMs: 0 }
  let { grownKb } = input
  let rotateAt = rotateAtKb
  // Growth before the clock started: no reason to delay the first blocks.
  let deployedKb = 0
  let hasClock = false
  let isClosing = false
  let rotating: Promise<void> | undefined

  const limitKb = () => (hasClock ? rotateAt : rotateAt * UNTICKED_FACTOR)
  const start = () =>
    rotate(() => {
      stats.rotations += 1
      grownKb = 0
      rotateAt = rotateAtKb
    })
      .then(({ pauseMs }) => {
        stats.rotationPauseMs = Math.max(stats.rotationPauseMs, pauseMs)
      })
      .catch((error) => {
        if (isClosing) return
        stats.rotationFailures += 1
        // Not again at once: the chain continues with the current engines.
        rotateAt = grownKb + rotateAtKb / 2
        log('rotation failed; continuing with the old engines', { error: String(error) })
      })
      .finally(() => {
        rotating = undefined
      })

  return {
    addBlock(block) {
      grownKb += growthOf(block.transactions.length, BigInt(block['gasUsed'] as Hex))
    },
    startIfDue() {
      if (grownKb >= limitKb()) rotating ??= start()
    },
    isOverdue: () => rotating !== undefined && grownKb - deployedKb > WAIT_AT * limitKb(),
    async ended() {
      await rotating
    },
    startClock() {
      hasClock = true
      deployedKb = grownKb
    },
    isImageDue: () => grownKb >= LEAVE_IMAGE_AT * rotateAtKb,
    stats: () => stats,
    async close() {
      isClosing = true
      while (rotating) await rotating
    },
  }
}
