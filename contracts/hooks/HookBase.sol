// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IPoolManager, PoolKey, SwapParams} from "../interfaces/IUniswap.sol";

/// @title What the fixture hooks share. Which calls the pool manager makes is in the low bits of a hook's address.
abstract contract HookBase {
    error OnlyPoolManager();

    IPoolManager public immutable poolManager;

    constructor(IPoolManager poolManager_) {
        poolManager = poolManager_;
    }

    modifier onlyPoolManager() {
        if (msg.sender != address(poolManager)) revert OnlyPoolManager();
        _;
    }
}
