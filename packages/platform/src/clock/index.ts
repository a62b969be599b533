export { type Clock, nowS, systemClock, type Timer } from './clock.ts'
export { lookUntil } from './lookUntil.ts'
export { type Loop, startLoop } from './loop.ts'
export { withinMs } from './withinMs.ts'
