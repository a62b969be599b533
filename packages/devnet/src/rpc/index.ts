export { createRpc, type Rpc, type RpcOptions } from './createRpc.ts'
export type { Method } from './methods.ts'
export { createSequencer, type Sequencer, type SequencerMode, type SequencerState } from './sequencer.ts'
export { type ServeOptions, type Serving, serveRpc, serveSequencer } from './serve.ts'
