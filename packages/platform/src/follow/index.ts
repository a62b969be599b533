export type { ChainLog, Header } from '../reads/index.ts'
export { type Follower, followChain } from './followChain.ts'
export { type Chunk, type FollowListener, type Hex, StartAgain } from './types.ts'
