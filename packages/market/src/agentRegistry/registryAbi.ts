import { parseAbi } from 'viem'

const ADDRESSES = 'address owner; address agentWallet; address beneficiary; address token;'

export const registryAbi = parseAbi([
  `struct Agent { uint256 id; ${ADDRESSES} string symbol; string name; }`,
  'function agent(uint256 id) view returns (Agent)',
  'function agentOf(address wallet) view returns (uint256 id, uint8 role)',
  'function agentCount() view returns (uint256)',
  'function agentsFrom(uint256 index, uint256 limit) view returns (Agent[] page)',
  'function stakeOf(uint256 id) view returns (uint256 principal, uint256 gain)',
  'event GainWithdrawn(uint256 indexed id, address indexed to, uint256 amount)',
])
