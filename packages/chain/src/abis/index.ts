export { delegationManagerAbi, delegatorAbi } from './accounts.ts'
export {
  curveAbi,
  ponsCurveAbi,
  universalRouterAbi,
  v2FactoryAbi,
  v2PairAbi,
  v3FactoryAbi,
  v3PoolAbi,
  v3QuoterAbi,
  v4PoolManagerAbi,
  v4QuoterAbi,
  v4StateViewAbi,
} from './exchanges.ts'
export { aggregatorV3Abi, multicall3Abi } from './reading.ts'
export { erc20Abi, erc20Bytes32Abi, permit2Abi, wethAbi } from './tokens.ts'
