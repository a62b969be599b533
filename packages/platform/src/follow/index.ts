export type { ChainLog, Header } from '../reads/index.ts'
export { afterChange } from './afterChange.ts'
export { type Follower, followChain } from './followChain.ts'
export type { Chunk, FollowListener, Hex, Place } from './types.ts'
