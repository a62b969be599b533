import { parseAbi } from 'viem'

/** MetaMask's Delegation Framework 1.3.0. */
export const delegationManagerAbi = parseAbi([
  'struct Caveat { address enforcer; bytes terms; bytes args; }',
  'struct Delegation { address delegate; address delegator; bytes32 authority; Caveat[] caveats; uint256 salt; bytes signature; }',
  'function redeemDelegations(bytes[] permissionContexts, bytes32[] modes, bytes[] executionCallDatas)',
  'function disableDelegation(Delegation delegation)',
  'function enableDelegation(Delegation delegation)',
  'function disabledDelegations(bytes32 delegationHash) view returns (bool)',
  'function getDelegationHash(Delegation delegation) pure returns (bytes32)',
  'function getDomainHash() view returns (bytes32)',
  'function VERSION() view returns (string)',
  'event RedeemedDelegation(address indexed rootDelegator, address indexed redeemer, Delegation delegation)',
  'event DisabledDelegation(bytes32 indexed delegationHash, address indexed delegator, address indexed delegate, Delegation delegation)',
])

/** The wallet's own face once it is delegated by EIP-7702. */
export const delegatorAbi = parseAbi([
  'function execute(bytes32 mode, bytes executionCalldata) payable',
  'function VERSION() view returns (string)',
])
