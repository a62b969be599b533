// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IPoolManager, PoolKey, SwapParams} from "../interfaces/IUniswap.sol";
import {HookBase} from "./HookBase.sol";

/// @title Counts the swaps of each pool and changes no amount.
/// @notice Flags: BEFORE_SWAP (bit 7), AFTER_SWAP (bit 6).
contract CountingHook is HookBase {
    mapping(bytes32 poolId => uint256) public swapsBegun;
    mapping(bytes32 poolId => uint256) public swapsDone;

    constructor(IPoolManager poolManager_) HookBase(poolManager_) {}

    function beforeSwap(address, PoolKey calldata key, SwapParams calldata, bytes calldata)
        external
        onlyPoolManager
        returns (bytes4, int256, uint24)
    {
        swapsBegun[keccak256(abi.encode(key))]++;
        return (this.beforeSwap.selector, 0, 0);
    }

    function afterSwap(address, PoolKey calldata key, SwapParams calldata, int256, bytes calldata)
        external
        onlyPoolManager
        returns (bytes4, int128)
    {
        swapsDone[keccak256(abi.encode(key))]++;
        return (this.afterSwap.selector, 0);
    }
}
