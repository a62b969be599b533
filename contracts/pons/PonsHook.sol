// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {HookBase} from "../hooks/HookBase.sol";
import {IPoolManager, PoolKey, SwapParams} from "../interfaces/IUniswap.sol";

/// @title Takes the launchpad's one percent and the creator's tax out of the quote side of every swap, outside the
/// pool's own fee, which is zero.
/// @notice Flags: BEFORE_INITIALIZE (13), BEFORE_SWAP (7), AFTER_SWAP (6) and both of their deltas (3, 2).
contract PonsHook is HookBase {
    struct Served {
        address quote;
        uint16 takeBps;
        bool served;
    }

    error OnlyOperator();
    error OnlyGraduator();
    error NotServed();

    uint16 public constant HOOK_FEE_BPS = 100;

    address public immutable operator;
    address public graduator;
    mapping(bytes32 poolId => Served) public pools;

    constructor(IPoolManager poolManager_, address operator_) HookBase(poolManager_) {
        operator = operator_;
    }

    receive() external payable {}

    function setGraduator(address graduator_) external {
        if (msg.sender != operator || graduator != address(0)) revert OnlyOperator();
        graduator = graduator_;
    }

    function serve(PoolKey calldata key, address quote, uint16 creatorTaxBps) external {
        if (msg.sender != graduator) revert OnlyGraduator();
        pools[keccak256(abi.encode(key))] = Served(quote, HOOK_FEE_BPS + creatorTaxBps, true);
    }

    /// @notice Nobody else opens pools behind this hook.
    function beforeInitialize(address, PoolKey calldata key, uint160) external view onlyPoolManager returns (bytes4) {
        if (!pools[keccak256(abi.encode(key))].served) revert NotServed();
        return this.beforeInitialize.selector;
    }

    /// @notice Where the amount given is of the quote side, the part is taken off it before the swap.
    function beforeSwap(address, PoolKey calldata key, SwapParams calldata params, bytes calldata)
        external
        onlyPoolManager
        returns (bytes4, int256, uint24)
    {
        Served memory pool = pools[keccak256(abi.encode(key))];
        if (_specified(key, params) != pool.quote) return (this.beforeSwap.selector, 0, 0);
        uint256 amount = uint256(params.amountSpecified < 0 ? -params.amountSpecified : params.amountSpecified);
        uint256 part = amount * pool.takeBps / 10_000;
        poolManager.take(pool.quote, address(this), part);
        return (this.beforeSwap.selector, int256(part << 128), 0);
    }

    /// @notice Otherwise it is taken of what the swap gave or asked for of the quote side.
    function afterSwap(address, PoolKey calldata key, SwapParams calldata params, int256 delta, bytes calldata)
        external
        onlyPoolManager
        returns (bytes4, int128)
    {
        Served memory pool = pools[keccak256(abi.encode(key))];
        if (_specified(key, params) == pool.quote) return (this.afterSwap.selector, 0);
        int128 moved = pool.quote == key.currency1 ? int128(delta) : int128(delta >> 128);
        uint256 part = uint256(uint128(moved < 0 ? -moved : moved)) * pool.takeBps / 10_000;
        poolManager.take(pool.quote, address(this), part);
        return (this.afterSwap.selector, int128(uint128(part)));
    }

    function _specified(PoolKey calldata key, SwapParams calldata params) private pure returns (address) {
        return (params.amountSpecified < 0) == params.zeroForOne ? key.currency0 : key.currency1;
    }
}
