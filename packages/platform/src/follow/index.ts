export { type Follower, followChain } from './followChain.ts'
export { type ChainLog, type Chunk, type FollowListener, type Header, type Hex, StartAgain } from './types.ts'
