/** Custom errors a trade may end with, and what they mean to whoever asked for it. */

/** What stands in a function's place reads the error's arguments; `inner` puts a wrapped revert in words. */
type Words = string | ((args: readonly unknown[], inner: (data: unknown) => string) => string)

const ROUTER: Record<string, Words> = {
  'ExecutionFailed(uint256,bytes)': ([index, data], inner) => `commands[${index}]: ${inner(data)}`,
  'TransactionDeadlinePassed()': 'the deadline has passed',
  'V2TooLittleReceived()': 'the v2 pools give less than the minimum',
  'V3TooLittleReceived()': 'the v3 pools give less than the minimum',
  'V4TooLittleReceived(uint256,uint256)': ([least, got]) =>
    `the v4 pools give ${got}, less than the minimum of ${least}`,
  'V4TooLittleReceivedPerHop(uint256,uint256,uint256)': ([hop]) =>
    `hop ${hop} of the v4 pools gives less than its minimum`,
  'V2TooMuchRequested()': 'the v2 pools take more than the maximum',
  'V3TooMuchRequested()': 'the v3 pools take more than the maximum',
  'V4TooMuchRequested(uint256,uint256)': ([most, asked]) =>
    `the v4 pools take ${asked}, more than the maximum of ${most}`,
  'V2InvalidPath()': 'the v2 path is none',
  'V3InvalidSwap()': 'the v3 pool moved nothing',
  'V3InvalidCaller()': 'somebody else than the v3 pool asked to be paid',
  'InvalidReserves()': 'a v2 pool is empty',
  'InsufficientETH()': 'less ETH came out than the minimum',
  'InsufficientToken()': 'less of the token came out than the minimum',
  'InvalidEthSender()': 'ETH was sent to the router by somebody it does not know',
  'InvalidCommandType(uint256)': ([command]) => `the router does not know command ${command}`,
  'InvalidBips()': 'the portion is more than the whole',
  'LengthMismatch()': 'the router call has not as many inputs as commands',
  'SliceOutOfBounds()': 'the router call is cut short',
  'ContractLocked()': 'the router was called from inside its own call',
  'FromAddressIsNotOwner()': 'the tokens are not the caller’s',
  'BalanceTooLow()': 'the balance is lower than what was to be checked',
  'UnsafeCast()': 'an amount is larger than its field',
}

const V4: Record<string, Words> = {
  'WrappedError(address,bytes4,bytes,bytes)': ([target, , reason], inner) => `${target}: ${inner(reason)}`,
  'PoolNotInitialized()': 'the v4 pool does not exist',
  'CurrencyNotSettled()': 'the v4 swap was not paid in full',
  'SwapAmountCannotBeZero()': 'the v4 swap has no amount',
  'ManagerLocked()': 'the v4 pools are locked',
  'DeltaNotPositive(address)': 'the v4 swap gave nothing to take',
  'DeltaNotNegative(address)': 'the v4 swap owes nothing to pay',
}

const PERMIT2: Record<string, Words> = {
  'AllowanceExpired(uint256)': ([at]) =>
    BigInt(at as bigint) === 0n
      ? 'Permit2 has no allowance for the router'
      : `the Permit2 allowance ended at ${at}`,
  'InsufficientAllowance(uint256)': ([left]) => `the Permit2 allowance is ${left}, less than is spent`,
  'InvalidNonce()': 'the permit’s nonce was used before, or is not the next',
  'InvalidSigner()': 'the permit was not signed by the wallet',
  'InvalidSignature()': 'the permit’s signature is none',
  'InvalidSignatureLength()': 'the permit’s signature has not 65 bytes',
  'InvalidContractSignature()': 'the wallet’s code does not take the permit’s signature',
  'SignatureExpired(uint256)': ([at]) => `the permit could be used until ${at}`,
}

const lacking = ([, held, needed]: readonly unknown[]) => `a wallet holds ${held} of the ${needed} it sends`
const unapproved = ([, allowed, needed]: readonly unknown[]) =>
  `the token’s allowance is ${allowed}, and ${needed} is spent`

const TOKENS: Record<string, Words> = {
  'InsufficientBalance(address,uint256,uint256)': lacking,
  'ERC20InsufficientBalance(address,uint256,uint256)': lacking,
  'InsufficientBalance()': 'a wallet holds less of the token than it sends',
  'InsufficientAllowance(address,uint256,uint256)': unapproved,
  'ERC20InsufficientAllowance(address,uint256,uint256)': unapproved,
  'InsufficientAllowance()': 'the token’s allowance is less than is spent',
  'ERC20InvalidReceiver(address)': ([who]) => `the token cannot be sent to ${who}`,
  'ERC20InvalidSender(address)': ([who]) => `the token cannot be sent by ${who}`,
  'SafeERC20FailedOperation(address)': ([token]) => `${token} refused to be moved`,
  'SendFailed(address,address,uint256)': ([token, to]) => `${token} could not be sent to ${to}`,
  'TransferFailed()': 'the token refused to be moved',
  'TransferFromFailed()': 'the token refused to be moved',
  'ETHTransferFailed()': 'ETH could not be sent',
  'EnforcedPause()': 'the token is paused',
  'WalletBlocked(address)': ([who]) => `the token’s registry blocks ${who}`,
}

const CURVE: Record<string, Words> = {
  'TooLittle(uint256,uint256)': ([out, least]) => `the curve gives ${out}, less than the minimum of ${least}`,
  'Graduated()': 'the curve has graduated',
  'Expired(uint256)': ([at]) => `the deadline ${at} has passed`,
  'ZeroAmount()': 'the curve was given no amount',
  'WrongValue(uint256,uint256)': ([sent, due]) => `${sent} wei were sent where ${due} were due`,
  'SlippageExceeded(uint256,uint256)': ([out, least]) =>
    `the curve gives ${out}, less than the minimum of ${least}`,
  'CurveGraduated()': 'the curve has graduated',
  'NativeValueMismatch(uint256,uint256)': ([sent, due]) => `${sent} wei were sent where ${due} were due`,
  'UnexpectedNativeValue()': 'ETH was sent to a curve that takes a token',
  'Reentered()': 'the curve was called from inside its own call',
}

const PANICS = new Map<bigint, string>([
  [0x01n, 'a contract’s own check failed'],
  [0x11n, 'a number ran over or under'],
  [0x12n, 'a division by zero'],
  [0x32n, 'a place past the end of a list'],
])

export const WORDS_OF_ERROR: Readonly<Record<string, Words>> = {
  ...ROUTER,
  ...V4,
  ...PERMIT2,
  ...TOKENS,
  ...CURVE,
  'Panic(uint256)': ([code]) => PANICS.get(code as bigint) ?? `panic ${code}`,
}

/** Reasons too short to be understood. */
export const WORDS_OF_REASON: ReadonlyMap<string, string> = new Map([
  [
    'TRANSFER_FROM_FAILED',
    'the token could not be taken from the wallet: its balance or allowance is short, or it refuses',
  ],
  ['TRANSFER_FAILED', 'the token refused to be moved'],
  ['ETH_TRANSFER_FAILED', 'ETH could not be sent'],
  ['STF', 'the token could not be taken from the wallet: its balance or allowance is short, or it refuses'],
  ['TF', 'the token refused to be moved'],
  ['IIA', 'the v3 pool was paid less than it asked for'],
  ['SPL', 'the v3 pool’s price limit is on the wrong side'],
  ['LOK', 'the v3 pool is locked'],
  ['UniswapV2: K', 'the v2 pool was paid less than it asked for'],
  ['UniswapV2: INSUFFICIENT_LIQUIDITY', 'the v2 pool holds less than was asked of it'],
  ['UniswapV2: INSUFFICIENT_INPUT_AMOUNT', 'the v2 pool was paid nothing'],
  ['UniswapV2: INSUFFICIENT_OUTPUT_AMOUNT', 'the v2 pool gives nothing for this'],
  ['UniswapV2: TRANSFER_FAILED', 'the v2 pool could not send the token'],
])
